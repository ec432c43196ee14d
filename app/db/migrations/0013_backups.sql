CREATE TABLE "backups" (
	"id" text PRIMARY KEY NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"finished_at" timestamp with time zone,
	"method" text NOT NULL,
	"file" text,
	"bytes" bigint,
	"sha256" text,
	"is_encrypted" boolean DEFAULT false NOT NULL,
	"checked_at" timestamp with time zone,
	"failure" text,
	CONSTRAINT "backups_method_check" CHECK ("backups"."method" IN ('dump', 'cluster')),
	CONSTRAINT "backups_bytes_check" CHECK ("backups"."bytes" >= 0),
	CONSTRAINT "backups_finished_check" CHECK ("backups"."checked_at" IS NULL OR "backups"."finished_at" IS NOT NULL)
);
--> statement-breakpoint
CREATE INDEX "backups_started_at_index" ON "backups" USING btree ("started_at");