ALTER TABLE "user" ADD COLUMN "ending_told_at" timestamp with time zone;--> statement-breakpoint
-- safe: signing up waits for about a second for each million accounts; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "user_unconfirmed_index" ON "user" USING btree ("created_at") WHERE NOT "user"."email_verified";
