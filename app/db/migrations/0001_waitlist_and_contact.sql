CREATE SEQUENCE "public"."waitlist_ticket" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "contact_messages" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"email" text NOT NULL,
	"topic" text NOT NULL,
	"message" text NOT NULL,
	"content_hash" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "contact_messages_content_hash_unique" UNIQUE("content_hash"),
	CONSTRAINT "contact_messages_name_check" CHECK (char_length("contact_messages"."name") BETWEEN 1 AND 100),
	CONSTRAINT "contact_messages_email_check" CHECK (char_length("contact_messages"."email") BETWEEN 3 AND 254),
	CONSTRAINT "contact_messages_topic_check" CHECK ("contact_messages"."topic" IN ('account', 'payment', 'promo', 'idea', 'business', 'other')),
	CONSTRAINT "contact_messages_message_check" CHECK (char_length("contact_messages"."message") BETWEEN 1 AND 4000)
);
--> statement-breakpoint
CREATE TABLE "waitlist" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"name" text,
	"uses_today" text,
	"token" text NOT NULL,
	"referral_code" text NOT NULL,
	"referred_by" text,
	"ticket" bigint,
	"confirmed_at" timestamp with time zone,
	"confirm_by" timestamp with time zone NOT NULL,
	"sends" integer DEFAULT 1 NOT NULL,
	"sent_at" timestamp with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "waitlist_email_unique" UNIQUE("email"),
	CONSTRAINT "waitlist_token_unique" UNIQUE("token"),
	CONSTRAINT "waitlist_referral_code_unique" UNIQUE("referral_code"),
	CONSTRAINT "waitlist_ticket_unique" UNIQUE("ticket"),
	CONSTRAINT "waitlist_email_check" CHECK ("waitlist"."email" = lower(btrim("waitlist"."email")) AND char_length("waitlist"."email") BETWEEN 3 AND 254),
	CONSTRAINT "waitlist_name_check" CHECK (char_length("waitlist"."name") BETWEEN 1 AND 100),
	CONSTRAINT "waitlist_uses_today_check" CHECK (char_length("waitlist"."uses_today") BETWEEN 1 AND 200),
	CONSTRAINT "waitlist_token_check" CHECK (char_length("waitlist"."token") = 43),
	CONSTRAINT "waitlist_referral_code_check" CHECK ("waitlist"."referral_code" ~ '^[2-9a-z]{10}$'),
	CONSTRAINT "waitlist_referred_by_check" CHECK ("waitlist"."referred_by" <> "waitlist"."id"),
	CONSTRAINT "waitlist_ticket_check" CHECK (("waitlist"."ticket" IS NULL) = ("waitlist"."confirmed_at" IS NULL)),
	CONSTRAINT "waitlist_sends_check" CHECK ("waitlist"."sends" BETWEEN 1 AND 4)
);
--> statement-breakpoint
ALTER TABLE "waitlist" ADD CONSTRAINT "waitlist_referred_by_waitlist_id_fk" FOREIGN KEY ("referred_by") REFERENCES "public"."waitlist"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "waitlist_referred_by_index" ON "waitlist" USING btree ("referred_by");--> statement-breakpoint
CREATE INDEX "waitlist_confirm_by_index" ON "waitlist" USING btree ("confirm_by") WHERE "waitlist"."confirmed_at" IS NULL;