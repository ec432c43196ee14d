-- Every query answers with a row for each thing that is wrong, and with none when the data is sound.

-- nobody has two passwords, or two accounts of the same provider; at the hosted app one's address is what counts
SELECT user_id, provider_id, count(*) FROM account
WHERE provider_id <> 'hosted-app'
GROUP BY user_id, provider_id
HAVING count(*) > 1;

-- every user has a way in
SELECT id FROM "user"
WHERE NOT EXISTS (SELECT FROM account WHERE account.user_id = "user".id);

-- a way in by password has one, and no other has
SELECT id, provider_id FROM account
WHERE (provider_id = 'credential') <> (password IS NOT NULL);

-- a promo code's used_count is the number of its grants
SELECT code, used_count, count(grants.id) AS grants
FROM promo_codes LEFT JOIN grants ON grants.promo_code = promo_codes.code
GROUP BY code, used_count
HAVING used_count <> count(grants.id);

-- an address kept beside a code is that of somebody who redeemed it
SELECT redeemed_addresses.promo_code, grant_id FROM redeemed_addresses
JOIN grants ON grants.id = grant_id
WHERE grants.promo_code IS DISTINCT FROM redeemed_addresses.promo_code;

-- a user pays for at most one subscription
SELECT user_id, count(*) FROM stripe_subscriptions
WHERE status NOT IN ('canceled', 'incomplete_expired')
GROUP BY user_id
HAVING count(*) > 1;

-- a subscription's user is a customer
SELECT stripe_subscriptions.id FROM stripe_subscriptions
LEFT JOIN customers USING (user_id)
WHERE customers.user_id IS NULL;

-- nobody who pays has a page left on which to pay again
SELECT checkout_attempts.user_id, checkout_attempts.id
FROM checkout_attempts JOIN stripe_subscriptions USING (user_id)
WHERE checkout_attempts.status = 'open'
  AND stripe_subscriptions.status NOT IN ('canceled', 'incomplete_expired')
  AND stripe_subscriptions.updated_at < now() - interval '10 minutes';

-- what renews has been heard of within a day of its renewal
SELECT id, current_period_end FROM stripe_subscriptions
WHERE status IN ('active', 'trialing') AND current_period_end < now() - interval '1 day';

-- every event of the payments store that asks for work has been handled or still has its job
SELECT stripe_events.id, stripe_events.type FROM stripe_events
WHERE handled_at IS NULL
  AND NOT EXISTS (SELECT FROM outbox WHERE stripe_events.id = ANY (event_ids) AND done_at IS NULL);

-- every payment page is known to be paid or over two days after it was opened; Stripe ends it after one
SELECT user_id, id, session_id, status, created_at FROM checkout_attempts
WHERE check_at IS NOT NULL AND created_at < now() - interval '2 days';

-- no two jobs about the same thing wait
SELECT kind, dedupe_key, count(*) FROM outbox
WHERE done_at IS NULL AND claimed_at IS NULL AND dedupe_key IS NOT NULL
GROUP BY kind, dedupe_key
HAVING count(*) > 1;

-- whoever brought somebody to the waitlist is on it and confirmed
SELECT friend.id, member.id AS brought_by FROM waitlist AS friend
JOIN waitlist AS member ON member.id = friend.referred_by
WHERE member.confirmed_at IS NULL;

-- no address stays on the waitlist unconfirmed a day longer than it may
SELECT id, confirm_by FROM waitlist
WHERE confirmed_at IS NULL AND confirm_by < now() - interval '1 day';
