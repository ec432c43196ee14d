-- Better Auth's cookies are signed in a way of its own, so everybody signs in once more (decision 0034).
DELETE FROM "session";--> statement-breakpoint
-- Its keys sign nothing more. They stay published for a day, which is longer than what they signed is good for.
UPDATE "jwks" SET "expires_at" = least("expires_at", now()), "alg" = coalesce("alg", 'ES256');--> statement-breakpoint
DROP TABLE "verification";--> statement-breakpoint
ALTER TABLE "session" RENAME COLUMN "token" TO "token_hash";--> statement-breakpoint
ALTER TABLE "session" DROP CONSTRAINT "session_token_unique";--> statement-breakpoint
ALTER TABLE "jwks" ALTER COLUMN "expires_at" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "jwks" ALTER COLUMN "alg" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "account" DROP COLUMN "access_token";--> statement-breakpoint
ALTER TABLE "account" DROP COLUMN "refresh_token";--> statement-breakpoint
ALTER TABLE "account" DROP COLUMN "id_token";--> statement-breakpoint
ALTER TABLE "account" DROP COLUMN "access_token_expires_at";--> statement-breakpoint
ALTER TABLE "account" DROP COLUMN "refresh_token_expires_at";--> statement-breakpoint
ALTER TABLE "account" DROP COLUMN "scope";--> statement-breakpoint
ALTER TABLE "jwks" DROP COLUMN "crv";--> statement-breakpoint
ALTER TABLE "session" DROP COLUMN "ip_address";--> statement-breakpoint
ALTER TABLE "session" ADD CONSTRAINT "session_token_hash_unique" UNIQUE("token_hash");