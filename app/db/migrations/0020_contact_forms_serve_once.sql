CREATE TABLE "sent_contact_forms" (
	"id" text PRIMARY KEY NOT NULL,
	"content_hash" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE INDEX "sent_contact_forms_expires_at_index" ON "sent_contact_forms" USING btree ("expires_at");