CREATE TABLE "saved_categories" (
	"user_id" text PRIMARY KEY NOT NULL,
	"categories" jsonb NOT NULL,
	"revision" integer DEFAULT 1 NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "saved_categories_check" CHECK (jsonb_typeof("saved_categories"."categories") = 'array'
        AND jsonb_array_length("saved_categories"."categories") <= 6
        AND length("saved_categories"."categories"::text) <= 8000)
);
--> statement-breakpoint
ALTER TABLE "saved_categories" ADD CONSTRAINT "saved_categories_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;