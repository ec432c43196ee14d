ALTER TABLE "stripe_subscriptions" ADD COLUMN "days_given" integer;--> statement-breakpoint
ALTER TABLE "grants" ADD COLUMN "days_given" integer;