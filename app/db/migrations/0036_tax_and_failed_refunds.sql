ALTER TABLE "stripe_invoices" ADD COLUMN "tax" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "stripe_invoices" ADD COLUMN "refund_failed" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "stripe_invoices" ADD COLUMN "refund_failure" text;--> statement-breakpoint
ALTER TABLE "stripe_invoices" ADD COLUMN "refund_failed_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "stripe_subscriptions" ADD COLUMN "is_taxed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "stripe_invoices_refund_failed_index" ON "stripe_invoices" USING btree ("user_id") WHERE "stripe_invoices"."refund_failed" > 0;