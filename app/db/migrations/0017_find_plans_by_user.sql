CREATE OR REPLACE VIEW "public"."held_plans" AS (
  SELECT user_id, tier, source, promo_code, created_at,
    CASE WHEN renews THEN period_end ELSE access_until END AS expires_at, renews
  FROM (
    SELECT user_id, tier, source, promo_code, created_at, expires_at AS access_until, false AS renews,
      expires_at AS period_end
    FROM grants
    WHERE revoked_at IS NULL
    UNION ALL
    SELECT user_id, tier, 'paid', NULL, started_at, paid.access_until,
      current_period_end > now() AND current_period_end < paid.access_until
        AND (cancel_at IS NULL OR cancel_at > current_period_end),
      current_period_end
    FROM stripe_subscriptions, LATERAL (
      SELECT coalesce(
        access_until,
        -- Not synced since access_until exists.
        CASE WHEN status IN ('active', 'trialing')
          THEN least(current_period_end + interval '1 hour', cancel_at) END
      ) AS access_until
    ) AS paid
  ) AS held
  -- IS TRUE keeps the planner from reading everybody's plans by the index on their ends, to find those of one person: it
  -- cannot know how many there are when many were made since the table was analyzed.
  WHERE (access_until > now()) IS TRUE);
