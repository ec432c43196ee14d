-- safe: what asks for when is answered by the index below; what does not has another, and this one misled it
DROP INDEX "outbox_due_index";--> statement-breakpoint
-- safe: jobs wait for about a second for each million rows; a large site makes it before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "outbox_run_at_index" ON "outbox" USING btree ("run_at") WHERE "outbox"."done_at" IS NULL AND "outbox"."run_at" IS NOT NULL;
