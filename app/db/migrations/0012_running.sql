CREATE TABLE "erasures" (
	"subject" text NOT NULL,
	"id" text NOT NULL,
	"erased_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "erasures_subject_id_pk" PRIMARY KEY("subject","id"),
	CONSTRAINT "erasures_subject_check" CHECK ("erasures"."subject" IN ('user', 'waitlist'))
);
--> statement-breakpoint
CREATE TABLE "processes" (
	"id" text PRIMARY KEY NOT NULL,
	"role" text NOT NULL,
	"version" text NOT NULL,
	"host" text NOT NULL,
	"started_at" timestamp with time zone DEFAULT now() NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "processes_role_check" CHECK ("processes"."role" IN ('web', 'worker', 'all'))
);
--> statement-breakpoint
CREATE TABLE "assets" (
	"path" text PRIMARY KEY NOT NULL,
	"type" text NOT NULL,
	"plain" "bytea" NOT NULL,
	"br" "bytea",
	"gzip" "bytea",
	"used_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE INDEX "erasures_erased_at_index" ON "erasures" USING btree ("erased_at");--> statement-breakpoint
CREATE INDEX "assets_used_at_index" ON "assets" USING btree ("used_at");--> statement-breakpoint
CREATE FUNCTION tell_of_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('changes', TG_TABLE_NAME);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER features_tell_of_change AFTER INSERT OR UPDATE OR DELETE ON "features"
  FOR EACH STATEMENT EXECUTE FUNCTION tell_of_change();--> statement-breakpoint
CREATE TRIGGER products_tell_of_change AFTER INSERT OR UPDATE OR DELETE ON "products"
  FOR EACH STATEMENT EXECUTE FUNCTION tell_of_change();--> statement-breakpoint
CREATE TRIGGER prices_tell_of_change AFTER INSERT OR UPDATE OR DELETE ON "prices"
  FOR EACH STATEMENT EXECUTE FUNCTION tell_of_change();
