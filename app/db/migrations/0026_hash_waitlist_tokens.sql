-- What opens a place is not kept any more: it follows from the place's id. The tokens of before are hashed by the sweeps, once no
-- process makes links of them. A later migration drops the column "token".
ALTER TABLE "waitlist" ALTER COLUMN "token" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "waitlist" ADD COLUMN "token_hash" text;--> statement-breakpoint
-- safe: no row has a hash yet, so that it is made in the time of reading the table once
CREATE INDEX "waitlist_token_hash_index" ON "waitlist" USING btree ("token_hash") WHERE "waitlist"."token_hash" IS NOT NULL;
