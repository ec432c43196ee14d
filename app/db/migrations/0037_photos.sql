CREATE TABLE "photos" (
	"user_id" text PRIMARY KEY NOT NULL,
	"version" text NOT NULL,
	"jpeg" "bytea" NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "photos_jpeg_check" CHECK (octet_length("photos"."jpeg") BETWEEN 1 AND 65536)
);
--> statement-breakpoint
ALTER TABLE "photos" ADD CONSTRAINT "photos_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;