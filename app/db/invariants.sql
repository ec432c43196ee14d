-- Every query answers with a row for each thing that is wrong, and with none when the data is sound.

-- a promo code's used_count is the number of its grants
SELECT code, used_count, count(grants.id) AS grants
FROM promo_codes LEFT JOIN grants ON grants.promo_code = promo_codes.code
GROUP BY code, used_count
HAVING used_count <> count(grants.id);

-- a promo code is not used more often than it may be
SELECT code, used_count, max_uses FROM promo_codes WHERE used_count > max_uses;

-- a user pays for at most one subscription
SELECT user_id, count(*) FROM stripe_subscriptions
WHERE status NOT IN ('canceled', 'incomplete_expired')
GROUP BY user_id
HAVING count(*) > 1;

-- a subscription's user is a customer
SELECT stripe_subscriptions.id FROM stripe_subscriptions
LEFT JOIN customers USING (user_id)
WHERE customers.user_id IS NULL;

-- a user holds at most one thing at a time
SELECT user_id, count(*) FROM user_subscriptions GROUP BY user_id HAVING count(*) > 1;

-- every event of the payments store that asks for work has been handled or still has its job
SELECT stripe_events.id, stripe_events.type FROM stripe_events
WHERE handled_at IS NULL
  AND NOT EXISTS (SELECT FROM outbox WHERE payload ->> 'eventId' = stripe_events.id AND done_at IS NULL);
