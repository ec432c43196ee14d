CREATE TABLE "handoffs" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "jwks" (
	"id" text PRIMARY KEY NOT NULL,
	"public_key" text NOT NULL,
	"private_key" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"expires_at" timestamp with time zone,
	"alg" text,
	"crv" text
);
--> statement-breakpoint
CREATE TABLE "mail_links" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"purpose" text NOT NULL,
	"user_id" text NOT NULL,
	"email" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "mail_links_purpose_check" CHECK ("mail_links"."purpose" IN ('verify_email', 'reset_password', 'change_email'))
);
--> statement-breakpoint
CREATE TABLE "provider_flows" (
	"state_hash" text PRIMARY KEY NOT NULL,
	"provider" text NOT NULL,
	"intent" text NOT NULL,
	"user_id" text,
	"browser_hash" text NOT NULL,
	"popup_nonce" text,
	"nonce" text NOT NULL,
	"code_verifier" text NOT NULL,
	"return_to" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"used_at" timestamp with time zone,
	"outcome" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "provider_flows_popup_nonce_unique" UNIQUE("popup_nonce"),
	CONSTRAINT "provider_flows_provider_check" CHECK ("provider_flows"."provider" IN ('google', 'facebook')),
	CONSTRAINT "provider_flows_intent_check" CHECK ("provider_flows"."intent" IN ('sign_in', 'connect', 'confirm')),
	CONSTRAINT "provider_flows_user_id_check" CHECK (("provider_flows"."intent" = 'sign_in') = ("provider_flows"."user_id" IS NULL))
);
--> statement-breakpoint
CREATE TABLE "rate_limits" (
	"key" text PRIMARY KEY NOT NULL,
	"hits" timestamp with time zone[] NOT NULL,
	"wait_until" timestamp with time zone,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "grants" DROP CONSTRAINT "grants_user_id_user_id_fk";
--> statement-breakpoint
ALTER TABLE "grants" ALTER COLUMN "user_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "confirmed_at" timestamp with time zone DEFAULT now() NOT NULL;--> statement-breakpoint
ALTER TABLE "mail_links" ADD CONSTRAINT "mail_links_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "provider_flows" ADD CONSTRAINT "provider_flows_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "handoffs_expires_at_index" ON "handoffs" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "mail_links_user_id_index" ON "mail_links" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "mail_links_expires_at_index" ON "mail_links" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "provider_flows_expires_at_index" ON "provider_flows" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "rate_limits_expires_at_index" ON "rate_limits" USING btree ("expires_at");--> statement-breakpoint
ALTER TABLE "grants" ADD CONSTRAINT "grants_user_id_user_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."user"("id") ON DELETE set null ON UPDATE no action;