DROP INDEX "promo_codes_created_at_index";--> statement-breakpoint
ALTER TABLE "promo_codes" ADD COLUMN "is_single" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "promo_codes_single_created_at_index" ON "promo_codes" USING btree ("created_at","code") WHERE "promo_codes"."is_single";--> statement-breakpoint
CREATE INDEX "promo_codes_single_code_index" ON "promo_codes" USING btree ("code") WHERE "promo_codes"."is_single";