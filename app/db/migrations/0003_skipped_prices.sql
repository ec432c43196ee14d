CREATE TABLE "skipped_prices" (
	"id" text PRIMARY KEY NOT NULL,
	"product_name" text NOT NULL,
	"reason" text NOT NULL
);
--> statement-breakpoint
ALTER TABLE "prices" ADD COLUMN "created_at" timestamp with time zone DEFAULT now() NOT NULL;