-- Somebody who moves up is six rows, found by two indexes, however long the list is. While it is short, or has grown since it was last
-- analyzed, the planner would rather read it whole for each of them; and it cannot know how many rows "as many places" are, so that it
-- would plan each move anew to be on the safe side.
-- safe: it changes how the function finds its rows, not which ones, and locks no table
ALTER FUNCTION "waitlist_move"(bigint, integer)
  SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off
  SET enable_bitmapscan = off
  SET enable_hashjoin = off
  SET enable_mergejoin = off;
