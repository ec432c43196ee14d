CREATE TABLE "waitlist_counts" (
	"level" integer NOT NULL,
	"node" bigint NOT NULL,
	"members" bigint NOT NULL,
	CONSTRAINT "waitlist_counts_level_node_pk" PRIMARY KEY("level","node")
);
--> statement-breakpoint
CREATE TABLE "waitlist_referrers" (
	"ticket" bigint PRIMARY KEY NOT NULL,
	"friends" integer NOT NULL,
	"spare" integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE "waitlist_slots" (
	"ticket" bigint PRIMARY KEY NOT NULL,
	"slot" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "waitlist_totals" (
	"only_row" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"counted_before" bigint NOT NULL,
	"invited" bigint NOT NULL,
	CONSTRAINT "waitlist_totals_only_row_check" CHECK ("waitlist_totals"."only_row")
);
--> statement-breakpoint
CREATE INDEX "waitlist_referrers_friends_index" ON "waitlist_referrers" USING btree ("friends" DESC NULLS LAST,"ticket");--> statement-breakpoint
CREATE INDEX "waitlist_slots_slot_index" ON "waitlist_slots" USING btree ("slot");--> statement-breakpoint
INSERT INTO "waitlist_totals" ("counted_before", "invited") VALUES (0, 0);--> statement-breakpoint
-- How many wait in slots up to this one: whole nodes of each level that lie before it, and what is left within its block of
-- 128, or from the first slot on that is not counted yet. Planned once.
CREATE FUNCTION waitlist_rank(of_slot bigint) RETURNS bigint LANGUAGE plpgsql STABLE SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  block bigint;
BEGIN
  SELECT least(of_slot, counted_before) >> 7 INTO block FROM waitlist_totals;
  RETURN (
    SELECT coalesce(sum(node.members), 0) FROM generate_series(0, 7) AS step,
      LATERAL (SELECT members FROM waitlist_counts WHERE level = step
        AND waitlist_counts.node >= block >> 5 * (step + 1) << 5 AND waitlist_counts.node < block >> 5 * step) AS node
      WHERE block >> 5 * step > 0
  ) + (SELECT count(*) FROM waitlist_slots WHERE slot >= block << 7 AND slot <= of_slot);
END $$;
--> statement-breakpoint
-- The number of the member with this ticket, from 1; NULL when they do not wait.
CREATE FUNCTION waitlist_number(of_ticket bigint) RETURNS bigint LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT waitlist_rank(slot) FROM waitlist_slots WHERE ticket = of_ticket);
END $$;
--> statement-breakpoint
-- Those who do not wait for one another take it shared: who joins. Whoever changes the order takes it alone.
CREATE FUNCTION waitlist_order_lock() RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT 7316003::bigint';
--> statement-breakpoint
-- Counts these slots, as far as the tree goes.
CREATE FUNCTION waitlist_count(slots bigint[], each integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO waitlist_counts (level, node, members)
    SELECT step, one >> 7 + 5 * step, each * count(*) FROM unnest(slots) AS one, generate_series(0, 7) AS step
    WHERE one < (SELECT counted_before FROM waitlist_totals)
    GROUP BY 1, 2 ORDER BY 1, 2
  ON CONFLICT (level, node) DO UPDATE SET members = waitlist_counts.members + excluded.members;
END $$;
--> statement-breakpoint
-- Moves a member up by so many places, or down if it is less than 0: they take the slot of the last whom they pass, and each
-- whom they pass takes the next one's. The slots in use, and so the counts, stay as they are. Returns by how many it was; NULL
-- for somebody who does not wait.
CREATE FUNCTION waitlist_move(of_ticket bigint, places integer) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  own bigint;
  passed integer;
BEGIN
  SELECT slot INTO own FROM waitlist_slots WHERE ticket = of_ticket;
  IF NOT FOUND THEN RETURN NULL; END IF;
  IF places > 0 THEN
    UPDATE waitlist_slots SET slot = turned.slot FROM (
      SELECT ticket, CASE WHEN ticket = of_ticket THEN min(slot) OVER () ELSE lag(slot) OVER (ORDER BY slot DESC) END AS slot
      FROM (SELECT * FROM waitlist_slots WHERE slot <= own ORDER BY slot DESC LIMIT places + 1) AS span
    ) AS turned WHERE waitlist_slots.ticket = turned.ticket;
  ELSE
    UPDATE waitlist_slots SET slot = turned.slot FROM (
      SELECT ticket, CASE WHEN ticket = of_ticket THEN max(slot) OVER () ELSE lag(slot) OVER (ORDER BY slot) END AS slot
      FROM (SELECT * FROM waitlist_slots WHERE slot >= own ORDER BY slot LIMIT 1 - places) AS span
    ) AS turned WHERE waitlist_slots.ticket = turned.ticket;
  END IF;
  GET DIAGNOSTICS passed = ROW_COUNT;
  RETURN passed - 1;
END $$;
--> statement-breakpoint
-- A friend of this member has confirmed: five places up, or to the first one.
CREATE FUNCTION waitlist_add_friend(of_ticket bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO waitlist_referrers (ticket, friends, spare)
    VALUES (of_ticket, 1, coalesce(5 - waitlist_move(of_ticket, 5), 0))
  ON CONFLICT (ticket) DO UPDATE
    SET friends = waitlist_referrers.friends + 1, spare = waitlist_referrers.spare + excluded.spare;
END $$;
--> statement-breakpoint
-- A friend of this member has left: what they were worth goes with them, first of what was of no use.
CREATE FUNCTION waitlist_lose_friend(of_ticket bigint) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  had integer;
BEGIN
  SELECT spare INTO had FROM waitlist_referrers WHERE ticket = of_ticket;
  UPDATE waitlist_referrers SET friends = friends - 1, spare = greatest(0, spare - 5) WHERE ticket = of_ticket;
  DELETE FROM waitlist_referrers WHERE ticket = of_ticket AND friends <= 0;
  IF had < 5 THEN PERFORM waitlist_move(of_ticket, had - 5); END IF;
END $$;
--> statement-breakpoint
-- New members, in the order of their tickets, and who brought them. Who brings nobody up waits for nobody; now and then one
-- who is alone counts what has come since the tree was last extended.
CREATE FUNCTION waitlist_join(tickets bigint[], referrers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  counted bigint;
  newest bigint := (SELECT max(one) FROM unnest(tickets) AS one);
  is_alone boolean := cardinality(referrers) > 0;
  of_ticket bigint;
BEGIN
  IF is_alone THEN
    PERFORM pg_advisory_xact_lock(waitlist_order_lock());
  ELSE
    SELECT counted_before INTO counted FROM waitlist_totals;
    IF newest >= counted + 512 THEN is_alone := pg_try_advisory_xact_lock(waitlist_order_lock()); END IF;
    IF NOT is_alone THEN PERFORM pg_advisory_xact_lock_shared(waitlist_order_lock()); END IF;
  END IF;
  -- Read again: from now on nobody changes it.
  SELECT counted_before INTO counted FROM waitlist_totals;
  INSERT INTO waitlist_slots (ticket, slot) SELECT one, one FROM unnest(tickets) AS one;
  -- Somebody whose confirmation took longer than those of many after them.
  IF tickets[1] < counted THEN PERFORM waitlist_count(tickets, 1); END IF;
  IF is_alone AND newest >= counted + 512 THEN
    UPDATE waitlist_totals SET counted_before = newest >> 7 << 7;
    PERFORM waitlist_count(ARRAY(SELECT slot FROM waitlist_slots WHERE slot >= counted), 1);
  END IF;
  FOREACH of_ticket IN ARRAY referrers LOOP PERFORM waitlist_add_friend(of_ticket); END LOOP;
END $$;
--> statement-breakpoint
-- Members who go out of the queue, so that all behind them move up, and the members who lose a friend by it.
CREATE FUNCTION waitlist_leave(tickets bigint[], referrers bigint[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  freed bigint[];
  of_ticket bigint;
BEGIN
  IF cardinality(tickets) + cardinality(referrers) = 0 THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(waitlist_order_lock());
  WITH gone AS (DELETE FROM waitlist_slots WHERE ticket = ANY (tickets) RETURNING slot)
    SELECT array_agg(slot) INTO freed FROM gone;
  PERFORM waitlist_count(freed, -1);
  FOREACH of_ticket IN ARRAY referrers LOOP PERFORM waitlist_lose_friend(of_ticket); END LOOP;
END $$;
--> statement-breakpoint
-- What fires the next three keeps the plans of its first statement, of one row or of ten thousand, for all later ones on the
-- connection. So nothing is joined with the rows that changed: a referrer's ticket is looked up by id, one by one.
CREATE FUNCTION waitlist_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  newly_invited bigint;
BEGIN
  IF NOT EXISTS (SELECT FROM new_rows WHERE ticket IS NOT NULL) THEN RETURN NULL; END IF;
  SELECT count(invitation_id) INTO newly_invited FROM new_rows;
  IF newly_invited > 0 THEN PERFORM pg_advisory_xact_lock(waitlist_order_lock()); END IF;
  PERFORM waitlist_join(
    ARRAY(SELECT ticket FROM new_rows WHERE ticket IS NOT NULL AND invitation_id IS NULL ORDER BY ticket),
    array_remove(ARRAY(SELECT (SELECT referrer.ticket FROM waitlist AS referrer WHERE referrer.id = friend.referred_by)
      FROM new_rows AS friend WHERE friend.ticket IS NOT NULL AND friend.referred_by IS NOT NULL ORDER BY friend.ticket), NULL));
  IF newly_invited > 0 THEN UPDATE waitlist_totals SET invited = invited + newly_invited; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION waitlist_updated() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  joined bigint[];
  brought bigint[];
  gone bigint[];
  lost bigint[];
  redrawn bigint[];
  redrawn_as bigint[];
  newly_invited bigint;
BEGIN
  WITH pairs AS MATERIALIZED (
    SELECT id,
      max(ticket) FILTER (WHERE NOT is_after) AS ticket_before, max(ticket) FILTER (WHERE is_after) AS ticket,
      max(invitation_id) FILTER (WHERE NOT is_after) AS invitation_before, max(invitation_id) FILTER (WHERE is_after) AS invitation,
      max(referred_by) FILTER (WHERE NOT is_after) AS referred_before, max(referred_by) FILTER (WHERE is_after) AS referred_by
    FROM (
      SELECT id, ticket, invitation_id, referred_by, false AS is_after FROM old_rows
      UNION ALL SELECT id, ticket, invitation_id, referred_by, true FROM new_rows
    ) AS both_rows GROUP BY id
  )
  SELECT
    ARRAY(SELECT ticket FROM pairs
      WHERE ticket_before IS DISTINCT FROM ticket AND ticket IS NOT NULL AND invitation IS NULL ORDER BY ticket),
    array_remove(ARRAY(SELECT (SELECT referrer.ticket FROM waitlist AS referrer WHERE referrer.id = pairs.referred_by) FROM pairs
      WHERE ticket IS NOT NULL AND referred_by IS NOT NULL
        AND (ticket_before IS NULL OR referred_before IS DISTINCT FROM referred_by) ORDER BY ticket), NULL),
    -- Who draws another ticket joins anew.
    ARRAY(SELECT ticket_before FROM pairs WHERE ticket_before IS NOT NULL AND invitation_before IS NULL
      AND (invitation IS NOT NULL OR ticket_before IS DISTINCT FROM ticket)),
    -- Not of somebody who has left: their friends stay.
    array_remove(ARRAY(SELECT (SELECT referrer.ticket FROM waitlist AS referrer WHERE referrer.id = pairs.referred_before) FROM pairs
      WHERE ticket_before IS NOT NULL AND referred_before IS DISTINCT FROM referred_by ORDER BY ticket DESC), NULL),
    ARRAY(SELECT ticket_before FROM pairs WHERE ticket_before <> ticket ORDER BY id),
    ARRAY(SELECT ticket FROM pairs WHERE ticket_before <> ticket ORDER BY id),
    (SELECT count(invitation) - count(invitation_before) FROM pairs)
  INTO joined, brought, gone, lost, redrawn, redrawn_as, newly_invited;
  IF newly_invited <> 0 OR cardinality(redrawn) > 0 THEN PERFORM pg_advisory_xact_lock(waitlist_order_lock()); END IF;
  PERFORM waitlist_leave(gone, lost);
  IF cardinality(redrawn) > 0 THEN
    UPDATE waitlist_referrers SET ticket = new_ticket FROM unnest(redrawn, redrawn_as) AS other (old_ticket, new_ticket)
      WHERE ticket = old_ticket;
  END IF;
  IF cardinality(joined) + cardinality(brought) > 0 THEN PERFORM waitlist_join(joined, brought); END IF;
  IF newly_invited <> 0 THEN UPDATE waitlist_totals SET invited = invited + newly_invited; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION waitlist_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  tickets bigint[] := ARRAY(SELECT ticket FROM old_rows WHERE ticket IS NOT NULL);
  were_invited bigint;
BEGIN
  IF cardinality(tickets) = 0 THEN RETURN NULL; END IF;
  SELECT count(invitation_id) INTO were_invited FROM old_rows;
  IF were_invited > 0 THEN PERFORM pg_advisory_xact_lock(waitlist_order_lock()); END IF;
  PERFORM waitlist_leave(
    ARRAY(SELECT ticket FROM old_rows WHERE ticket IS NOT NULL AND invitation_id IS NULL),
    array_remove(ARRAY(SELECT (SELECT referrer.ticket FROM waitlist AS referrer WHERE referrer.id = friend.referred_by)
      FROM old_rows AS friend WHERE friend.ticket IS NOT NULL AND friend.referred_by IS NOT NULL ORDER BY friend.ticket DESC), NULL));
  DELETE FROM waitlist_referrers WHERE ticket = ANY (tickets);
  IF were_invited > 0 THEN UPDATE waitlist_totals SET invited = invited - were_invited; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
-- The order of a list that has none yet: everybody joins at the end in the order of tickets, at that moment who brought them
-- moves up five places, and who was picked before that moment is out of the queue. Nobody joins or leaves meanwhile.
CREATE FUNCTION waitlist_rebuild() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  tickets bigint[];
  -- By rank of the slot: whose it is; and by rank of the member: which slot is theirs. 0: nobody, none.
  holders integer[];
  ranks integer[];
  friends integer[];
  spare integer[];
  size integer;
  -- Before it no slot is taken.
  lowest integer := 1;
  free integer;
  looked integer;
  moved integer;
  pick record;
  member record;
  picks CURSOR FOR
    SELECT invitation.created_at AS at, ranked.rank FROM waitlist_invitations AS invitation JOIN (
      SELECT invitation_id, row_number() OVER (ORDER BY ticket)::integer AS rank FROM waitlist WHERE ticket IS NOT NULL
    ) AS ranked ON ranked.invitation_id = invitation.id ORDER BY 1;
BEGIN
  PERFORM pg_advisory_xact_lock(waitlist_order_lock());
  DELETE FROM waitlist_slots;
  DELETE FROM waitlist_counts;
  DELETE FROM waitlist_referrers;
  tickets := ARRAY(SELECT ticket FROM waitlist WHERE ticket IS NOT NULL ORDER BY ticket);
  size := cardinality(tickets);
  holders := ARRAY(SELECT generate_series(1, size));
  ranks := holders;
  friends := array_fill(0, ARRAY[size]);
  spare := friends;
  OPEN picks;
  FETCH picks INTO pick;
  FOR member IN
    WITH ranked AS (
      SELECT id, referred_by, row_number() OVER (ORDER BY ticket)::integer AS rank, max(confirmed_at) OVER (ORDER BY ticket) AS at
      FROM waitlist WHERE ticket IS NOT NULL)
    SELECT referrer.rank, friend.at FROM ranked AS friend JOIN ranked AS referrer ON referrer.id = friend.referred_by
    WHERE referrer.rank < friend.rank ORDER BY friend.rank
  LOOP
    WHILE pick.at < member.at LOOP
      holders[ranks[pick.rank]] := 0;
      ranks[pick.rank] := 0;
      FETCH picks INTO pick;
    END LOOP;
    WHILE holders[lowest] = 0 LOOP lowest := lowest + 1; END LOOP;
    friends[member.rank] := friends[member.rank] + 1;
    free := ranks[member.rank];
    CONTINUE WHEN free = 0;
    moved := 0;
    looked := free;
    WHILE moved < 5 AND looked > lowest LOOP
      looked := looked - 1;
      CONTINUE WHEN holders[looked] = 0;
      holders[free] := holders[looked];
      ranks[holders[free]] := free;
      free := looked;
      moved := moved + 1;
    END LOOP;
    holders[free] := member.rank;
    ranks[member.rank] := free;
    spare[member.rank] := spare[member.rank] + 5 - moved;
  END LOOP;
  WHILE pick.at IS NOT NULL LOOP
    ranks[pick.rank] := 0;
    FETCH picks INTO pick;
  END LOOP;
  CLOSE picks;
  INSERT INTO waitlist_slots (ticket, slot)
    SELECT ticket, tickets[rank] FROM unnest(tickets, ranks) AS held (ticket, rank) WHERE rank > 0 ORDER BY rank;
  INSERT INTO waitlist_referrers (ticket, friends, spare)
    SELECT brought.ticket, brought.friends, brought.spare FROM unnest(tickets, friends, spare) AS brought (ticket, friends, spare)
    WHERE brought.friends > 0;
  UPDATE waitlist_totals SET counted_before = coalesce(tickets[size], 0) >> 7 << 7,
    invited = (SELECT count(*) FROM waitlist WHERE invitation_id IS NOT NULL);
  INSERT INTO waitlist_counts (level, node, members)
    SELECT step, block >> 5 * step, sum(held) FROM (
      SELECT slot >> 7 AS block, count(*) AS held FROM waitlist_slots WHERE slot < tickets[size] >> 7 << 7 GROUP BY 1
    ) AS blocks, generate_series(0, 7) AS step GROUP BY 1, 2 ORDER BY 1, 2;
END $$;
--> statement-breakpoint
CREATE FUNCTION waitlist_emptied() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM waitlist_rebuild();
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER waitlist_inserted AFTER INSERT ON "waitlist" REFERENCING NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION waitlist_inserted();--> statement-breakpoint
CREATE TRIGGER waitlist_updated AFTER UPDATE ON "waitlist" REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows
  FOR EACH STATEMENT EXECUTE FUNCTION waitlist_updated();--> statement-breakpoint
CREATE TRIGGER waitlist_deleted AFTER DELETE ON "waitlist" REFERENCING OLD TABLE AS old_rows
  FOR EACH STATEMENT EXECUTE FUNCTION waitlist_deleted();--> statement-breakpoint
CREATE TRIGGER waitlist_emptied AFTER TRUNCATE ON "waitlist"
  FOR EACH STATEMENT EXECUTE FUNCTION waitlist_emptied();--> statement-breakpoint
-- safe: writes only to tables of this migration. It takes some seconds for a million members; who joins or leaves meanwhile does
-- not wait for it, but is answered with 503 after the site's lock timeout of 2 s, and may try again
SELECT waitlist_rebuild();
