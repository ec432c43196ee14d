-- The place of each member becomes a number on their row (decision 0014), and the console's figures are counted by plain queries
-- (decision 0049). For processes of the version before, these stay until a later migration drops them as a contract of this one:
-- the tables waitlist_slots, waitlist_counts, waitlist_referrers and waitlist_totals with the triggers and functions of 0015 and 0018,
-- the tables standing_sums, standing_changes, plans_to_count and counted_plans, and what is marked "until then" below.
ALTER TABLE "waitlist" ADD COLUMN "queue_position" numeric;--> statement-breakpoint
ALTER TABLE "waitlist" ADD COLUMN "places_given" smallint;--> statement-breakpoint
-- The order does not change, so that its triggers have nothing to do.
ALTER TABLE "waitlist" DISABLE TRIGGER USER;--> statement-breakpoint
-- safe: no process knows these columns yet; the list is locked meanwhile, and who asks for it is told to try again (CHANGELOG,
-- "Upgrading"). Places a friend could not give at the top of the list are taken from the first friends, as they were given back.
UPDATE "waitlist" SET "queue_position" = found.queue_position, "places_given" = found.given FROM (
  SELECT member.id, coalesce(slot, member.ticket) AS queue_position, CASE WHEN member.referred_by IS NOT NULL THEN greatest(0, least(5,
      5 * row_number() OVER (PARTITION BY member.referred_by ORDER BY member.ticket) - coalesce(spare, 0))) END AS given
  FROM "waitlist" AS member
  LEFT JOIN "waitlist_slots" ON "waitlist_slots".ticket = member.ticket
  LEFT JOIN "waitlist" AS referrer ON referrer.id = member.referred_by
  LEFT JOIN "waitlist_referrers" ON "waitlist_referrers".ticket = referrer.ticket
  WHERE member.ticket IS NOT NULL
) AS found WHERE found.id = "waitlist".id;--> statement-breakpoint
ALTER TABLE "waitlist" ENABLE TRIGGER USER;--> statement-breakpoint
-- safe: the list is locked by the statements before
CREATE UNIQUE INDEX "waitlist_queue_index" ON "waitlist" USING btree ("queue_position") WHERE "waitlist"."invitation_id" IS NULL AND "waitlist"."queue_position" IS NOT NULL;--> statement-breakpoint
-- safe: the same, and nobody is in it
CREATE INDEX "waitlist_not_counted_index" ON "waitlist" USING btree ("ticket") WHERE "waitlist"."ticket" IS NOT NULL AND "waitlist"."referred_by" IS NOT NULL AND "waitlist"."places_given" IS NULL;--> statement-breakpoint
-- Until then: the version before confirms without a queue_position. The sweeps move up who brought them.
CREATE FUNCTION waitlist_first_queue_position() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.queue_position := NEW.ticket;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER waitlist_first_queue_position BEFORE INSERT OR UPDATE ON "waitlist" FOR EACH ROW
  WHEN (NEW.ticket IS NOT NULL AND NEW.queue_position IS NULL) EXECUTE FUNCTION waitlist_first_queue_position();--> statement-breakpoint
-- Without these, and the triggers that use them, writing leaves nothing to add up.
-- safe: the version before counts everything anew while there are no sums, and the trigger below keeps it at that
DROP FUNCTION note_people, note_waiting, note_changed_plans, note_changed_plan CASCADE;--> statement-breakpoint
-- safe: sums are counted again from the rows they are of
DELETE FROM "standing_sums";--> statement-breakpoint
DELETE FROM "standing_changes";--> statement-breakpoint
DELETE FROM "plans_to_count";--> statement-breakpoint
-- Until then: no process adds to sums of before.
CREATE FUNCTION forget_standing_sums() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM public.standing_sums;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER daily_figures_forget_sums AFTER INSERT OR UPDATE ON "daily_figures" FOR EACH ROW
  WHEN (NEW.name = 'counted') EXECUTE FUNCTION forget_standing_sums();
