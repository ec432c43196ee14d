ALTER TABLE "grants" ADD COLUMN "mailbox_hash" text;--> statement-breakpoint
ALTER TABLE "promo_batches" ADD COLUMN "once_per_mailbox" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "promo_codes" ADD COLUMN "once_per_mailbox" boolean DEFAULT false NOT NULL;--> statement-breakpoint
-- safe: no grant has a hash yet, so that it is made in the time of reading the table once
CREATE UNIQUE INDEX "grants_mailbox_hash_unique" ON "grants" USING btree ("mailbox_hash") WHERE "grants"."mailbox_hash" IS NOT NULL;