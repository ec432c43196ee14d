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
CREATE FUNCTION waitlist_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM new_rows WHERE ticket IS NOT NULL) THEN RETURN NULL; END IF;
  PERFORM waitlist_join(
    ARRAY(SELECT ticket FROM new_rows WHERE ticket IS NOT NULL AND invitation_id IS NULL ORDER BY ticket),
    ARRAY(SELECT referrer.ticket FROM new_rows AS friend JOIN waitlist AS referrer ON referrer.id = friend.referred_by
      WHERE friend.ticket IS NOT NULL AND referrer.ticket IS NOT NULL ORDER BY friend.ticket));
  UPDATE waitlist_totals SET invited = invited + (SELECT count(*) FROM new_rows WHERE invitation_id IS NOT NULL)
    WHERE EXISTS (SELECT FROM new_rows WHERE invitation_id IS NOT NULL);
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION waitlist_updated() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  joined bigint[];
  brought bigint[];
  gone bigint[];
  lost bigint[];
BEGIN
  IF NOT EXISTS (
    SELECT FROM old_rows AS before JOIN new_rows AS after USING (id)
    WHERE (before.ticket, before.invitation_id) IS DISTINCT FROM (after.ticket, after.invitation_id)
      OR after.ticket IS NOT NULL AND before.referred_by IS DISTINCT FROM after.referred_by
  ) THEN RETURN NULL; END IF;
  joined := ARRAY(SELECT after.ticket FROM old_rows AS before JOIN new_rows AS after USING (id)
    WHERE before.ticket IS DISTINCT FROM after.ticket AND after.ticket IS NOT NULL AND after.invitation_id IS NULL
    ORDER BY after.ticket);
  brought := ARRAY(SELECT referrer.ticket FROM old_rows AS before JOIN new_rows AS after USING (id)
    JOIN waitlist AS referrer ON referrer.id = after.referred_by
    WHERE after.ticket IS NOT NULL AND referrer.ticket IS NOT NULL
      AND (before.ticket IS NULL OR before.referred_by IS DISTINCT FROM after.referred_by) ORDER BY after.ticket);
  -- Who draws another ticket joins anew.
  gone := ARRAY(SELECT before.ticket FROM old_rows AS before JOIN new_rows AS after USING (id)
    WHERE before.ticket IS NOT NULL AND before.invitation_id IS NULL
      AND (after.invitation_id IS NOT NULL OR before.ticket IS DISTINCT FROM after.ticket));
  -- Not of somebody who has left: their friends stay.
  lost := ARRAY(SELECT referrer.ticket FROM old_rows AS before JOIN new_rows AS after USING (id)
    JOIN waitlist AS referrer ON referrer.id = before.referred_by
    WHERE before.ticket IS NOT NULL AND before.referred_by IS DISTINCT FROM after.referred_by ORDER BY after.ticket DESC);
  PERFORM waitlist_leave(gone, lost);
  UPDATE waitlist_referrers SET ticket = after.ticket FROM old_rows AS before JOIN new_rows AS after USING (id)
    WHERE waitlist_referrers.ticket = before.ticket AND before.ticket <> after.ticket;
  IF cardinality(joined) + cardinality(brought) > 0 THEN PERFORM waitlist_join(joined, brought); END IF;
  UPDATE waitlist_totals SET invited = invited + changed.by FROM (
    SELECT count(after.invitation_id) - count(before.invitation_id) AS by FROM old_rows AS before JOIN new_rows AS after USING (id)
  ) AS changed WHERE changed.by <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION waitlist_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM old_rows WHERE ticket IS NOT NULL) THEN RETURN NULL; END IF;
  PERFORM waitlist_leave(
    ARRAY(SELECT ticket FROM old_rows WHERE ticket IS NOT NULL AND invitation_id IS NULL),
    ARRAY(SELECT referrer.ticket FROM old_rows AS friend JOIN waitlist AS referrer ON referrer.id = friend.referred_by
      WHERE friend.ticket IS NOT NULL AND referrer.ticket IS NOT NULL ORDER BY friend.ticket DESC));
  DELETE FROM waitlist_referrers WHERE ticket IN (SELECT ticket FROM old_rows);
  UPDATE waitlist_totals SET invited = invited - (SELECT count(*) FROM old_rows WHERE invitation_id IS NOT NULL)
    WHERE EXISTS (SELECT FROM old_rows WHERE invitation_id IS NOT NULL);
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
    SELECT step, slot >> 7 + 5 * step, count(*) FROM waitlist_slots, generate_series(0, 7) AS step
    WHERE slot < tickets[size] >> 7 << 7 GROUP BY 1, 2 ORDER BY 1, 2;
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
-- safe: writes only to tables of this migration; who joins or leaves waits for it, some seconds for a million members
SELECT waitlist_rebuild();
