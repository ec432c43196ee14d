/**
 * When time alone changes an object: the one place that knows, as SQL, so that an index finds what is due. A `rank` orders
 * what falls on the same second: a schedule's next phase comes before the renewal it changes.
 *
 * `told` is the end of the period (or trial) that a subscription was last reminded of.
 */
export const MOMENTS = `
CREATE FUNCTION sandbox_stripe.moments(object jsonb, told_upcoming float8, told_trial float8)
RETURNS TABLE (what text, rank integer, at float8) LANGUAGE sql IMMUTABLE AS $moments$
  SELECT what, rank, at FROM (
    SELECT object->>'status' AS status, (object->>'created')::float8 AS created,
           (object #>> '{items,data,0,current_period_start}')::float8 AS period_start,
           (object #>> '{items,data,0,current_period_end}')::float8 AS period_end,
           (object->>'trial_start')::float8 AS trial_start, (object->>'trial_end')::float8 AS trial_end,
           (object->>'cancel_at')::float8 AS cancel_at
  ) AS subscription, LATERAL (VALUES
    ('expire_incomplete', 0, CASE WHEN status = 'incomplete' THEN created + 23 * 3600 END),
    ('expire_update', 0, (object #>> '{pending_update,expires_at}')::float8),
    ('resume_collection', 0, (object #>> '{pause_collection,resumes_at}')::float8),
    ('cancel', 2, CASE WHEN status <> 'incomplete' THEN cancel_at END),
    ('end_period', 3, CASE WHEN status IN ('active', 'trialing', 'past_due', 'unpaid') THEN period_end END),
    ('remind_of_trial_end', 5, CASE WHEN status = 'trialing' AND told_trial IS DISTINCT FROM trial_end
                               THEN greatest(trial_end - 3 * 86400, trial_start) END),
    ('remind_of_renewal', 5, CASE WHEN status = 'active' AND told_upcoming IS DISTINCT FROM period_end
                               AND coalesce(cancel_at > period_end, true) AND period_end - 7 * 86400 > period_start
                             THEN period_end - 7 * 86400 END)
  ) AS moments (what, rank, at)
  WHERE object->>'object' = 'subscription' AND status NOT IN ('canceled', 'incomplete_expired') AND at IS NOT NULL
  UNION ALL
  SELECT 'start_phase', 1, (object #>> '{current_phase,end_date}')::float8
  WHERE object->>'object' = 'subscription_schedule' AND object->>'status' = 'active'
  UNION ALL
  SELECT 'retry_payment', 4, (object->>'next_payment_attempt')::float8
  WHERE object->>'object' = 'invoice' AND object->>'status' = 'open' AND object->>'next_payment_attempt' IS NOT NULL
$moments$;

CREATE FUNCTION sandbox_stripe.next_moment(object jsonb, told_upcoming float8, told_trial float8)
RETURNS float8 LANGUAGE sql IMMUTABLE AS $next$
  SELECT CASE WHEN object->>'object' IN ('subscription', 'subscription_schedule', 'invoice') THEN
    (SELECT min(at) FROM sandbox_stripe.moments(object, told_upcoming, told_trial)) END
$next$;
`;

/** Columns and indexes of `sandbox_stripe.objects`. */
export const MOMENT_COLUMNS = `
  told_upcoming float8,
  told_trial float8,
  next_moment float8 GENERATED ALWAYS AS (sandbox_stripe.next_moment(object, told_upcoming, told_trial)) STORED
`;

export const MOMENT_INDEXES = `
CREATE INDEX objects_moments ON sandbox_stripe.objects (next_moment) WHERE next_moment IS NOT NULL;
CREATE INDEX objects_moments_of_customer ON sandbox_stripe.objects ((object->>'customer'), next_moment)
  WHERE next_moment IS NOT NULL;
`;
