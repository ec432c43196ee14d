-- Codes of batches and of invitations that were made before 0011 got its default, and stood in the list of single codes.
-- safe: the version before only reads the column for that list; few rows, and a redemption of one waits for milliseconds
UPDATE "promo_codes" SET "is_single" = false
WHERE "is_single" AND ("batch_id" IS NOT NULL
  OR EXISTS (SELECT FROM "waitlist" WHERE "waitlist"."promo_code" = "promo_codes"."code"));
