CREATE TABLE "changelog_entries" (
	"id" text PRIMARY KEY NOT NULL,
	"title" text NOT NULL,
	"day" date NOT NULL,
	"body" text NOT NULL,
	"feature" text,
	"mailed_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "changelog_entries_feature_check" CHECK ("changelog_entries"."feature" IN ('csv_processing', 'banking_api'))
);
--> statement-breakpoint
CREATE TABLE "changelog_mails" (
	"entry_id" text NOT NULL,
	"user_id" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "changelog_mails_entry_id_user_id_pk" PRIMARY KEY("entry_id","user_id")
);
--> statement-breakpoint
ALTER TABLE "user" ADD COLUMN "product_news_since" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "stripe_invoices" ADD COLUMN "decline_code" text;--> statement-breakpoint
ALTER TABLE "changelog_mails" ADD CONSTRAINT "changelog_mails_entry_id_changelog_entries_id_fk" FOREIGN KEY ("entry_id") REFERENCES "public"."changelog_entries"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "changelog_mails" ADD CONSTRAINT "changelog_mails_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "changelog_entries_day_index" ON "changelog_entries" USING btree ("day","created_at");--> statement-breakpoint
CREATE INDEX "changelog_mails_user_id_index" ON "changelog_mails" USING btree ("user_id");--> statement-breakpoint
-- safe: writing to the accounts waits for about a second for each million, unless it is made before, CONCURRENTLY (CHANGELOG, "Upgrading")
CREATE INDEX IF NOT EXISTS "user_product_news_index" ON "user" USING btree ("id") WHERE "user"."product_news_since" IS NOT NULL;--> statement-breakpoint
CREATE TRIGGER changelog_entries_tell_of_change AFTER INSERT OR UPDATE OR DELETE ON "changelog_entries"
  FOR EACH STATEMENT EXECUTE FUNCTION tell_of_change();
