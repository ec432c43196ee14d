CREATE TABLE "counted_refunds" (
	"subscription_id" text PRIMARY KEY NOT NULL,
	"mailbox_hash" text NOT NULL,
	"refunded_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "counted_refunds_mailbox_hash_index" ON "counted_refunds" USING btree ("mailbox_hash","refunded_at");--> statement-breakpoint
CREATE INDEX "counted_refunds_refunded_at_index" ON "counted_refunds" USING btree ("refunded_at");