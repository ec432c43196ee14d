-- Each query returns the rows that violate the rule above it, and none when the data is sound.

-- a user has at most one account with each provider; the hosted app is exempt, because there the address counts
SELECT user_id, provider_id, count(*) FROM account
WHERE provider_id <> 'hosted-app'
GROUP BY user_id, provider_id
HAVING count(*) > 1;

-- every user has a sign-in method
SELECT id FROM "user"
WHERE NOT EXISTS (SELECT FROM account WHERE account.user_id = "user".id);

-- where a user has a second factor, nobody is signed in who has not shown it
SELECT session.id FROM session
WHERE NOT needs_second_factor AND second_factor_at IS NULL AND (
  EXISTS (SELECT FROM authenticator_apps AS app WHERE app.user_id = session.user_id AND confirmed_at IS NOT NULL)
  OR EXISTS (SELECT FROM passkeys WHERE passkeys.user_id = session.user_id));

-- recovery codes belong to a user with a second factor
SELECT DISTINCT user_id FROM recovery_codes
WHERE NOT EXISTS (SELECT FROM authenticator_apps AS app WHERE app.user_id = recovery_codes.user_id
    AND confirmed_at IS NOT NULL)
  AND NOT EXISTS (SELECT FROM passkeys WHERE passkeys.user_id = recovery_codes.user_id);

-- an account has a password if its provider is 'credential', and otherwise none
SELECT id, provider_id FROM account
WHERE (provider_id = 'credential') <> (password IS NOT NULL);

-- a promo code's used_count is the number of its grants
SELECT code, used_count, count(grants.id) AS grants
FROM promo_codes LEFT JOIN grants ON grants.promo_code = promo_codes.code
GROUP BY code, used_count
HAVING used_count <> count(grants.id);

-- a batch that is finished has all its codes, and none has more
SELECT promo_batches.id, size, finished_at, count(promo_codes.code) AS codes
FROM promo_batches LEFT JOIN promo_codes ON promo_codes.batch_id = promo_batches.id
GROUP BY promo_batches.id
HAVING count(promo_codes.code) > size OR finished_at IS NOT NULL AND count(promo_codes.code) < size;

-- an address remembered for a promo code belongs to a grant of that code
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

-- a subscription that was asked about since it was started says until when it gives access; one that is over gives none
SELECT stripe_subscriptions.id, status, access_until FROM stripe_subscriptions
JOIN customers USING (user_id)
WHERE synced_at IS NOT NULL AND access_until IS NULL
  OR status IN ('canceled', 'incomplete_expired') AND access_until > now();

-- an invoice's user is a customer, and its subscription is theirs
SELECT stripe_invoices.id FROM stripe_invoices
LEFT JOIN customers USING (user_id)
LEFT JOIN stripe_subscriptions
  ON stripe_subscriptions.id = subscription_id AND stripe_subscriptions.user_id = stripe_invoices.user_id
WHERE customers.user_id IS NULL OR stripe_subscriptions.id IS NULL;

-- no more is paid back of an invoice than was paid
SELECT id, amount_paid, amount_refunded FROM stripe_invoices WHERE amount_refunded > amount_paid;

-- a receipt that was mailed is for an invoice that is paid
SELECT subject FROM billing_notices
LEFT JOIN stripe_invoices ON stripe_invoices.id = subject AND stripe_invoices.status = 'paid'
WHERE kind = 'receipt' AND stripe_invoices.id IS NULL;

-- a change that a customer asked for is what Stripe has, or its job waits
SELECT subscription_id, kind, requested_at FROM plan_changes
WHERE applied_at IS NULL AND requested_at < now() - interval '1 day'
  AND NOT EXISTS (
    SELECT FROM outbox WHERE done_at IS NULL AND payload ->> 'subscriptionId' = plan_changes.subscription_id
  );

-- a user who pays has no open checkout attempt
SELECT checkout_attempts.user_id, checkout_attempts.id
FROM checkout_attempts JOIN stripe_subscriptions USING (user_id)
WHERE checkout_attempts.status = 'open'
  AND stripe_subscriptions.status NOT IN ('canceled', 'incomplete_expired')
  AND stripe_subscriptions.updated_at < now() - interval '10 minutes';

-- a subscription that renews is synced within a day of its renewal
SELECT id, current_period_end FROM stripe_subscriptions
WHERE status IN ('active', 'trialing') AND current_period_end < now() - interval '1 day';

-- every Stripe event that needs work has been handled or still has its job
SELECT stripe_events.id, stripe_events.type FROM stripe_events
WHERE handled_at IS NULL
  AND NOT EXISTS (SELECT FROM outbox WHERE stripe_events.id = ANY (event_ids) AND done_at IS NULL);

-- a checkout attempt is settled two days after it was opened; Stripe expires its page after one
SELECT user_id, id, session_id, status, created_at FROM checkout_attempts
WHERE check_at IS NOT NULL AND created_at < now() - interval '2 days';

-- no two waiting jobs of a kind have the same key
SELECT kind, dedupe_key, count(*) FROM outbox
WHERE done_at IS NULL AND claimed_at IS NULL AND dedupe_key IS NOT NULL
GROUP BY kind, dedupe_key
HAVING count(*) > 1;

-- a member who brought a friend to the waitlist is on it and confirmed
SELECT friend.id, member.id AS brought_by FROM waitlist AS friend
JOIN waitlist AS member ON member.id = friend.referred_by
WHERE member.confirmed_at IS NULL;

-- no address stays on the waitlist unconfirmed more than a day past its deadline
SELECT id, confirm_by FROM waitlist
WHERE confirmed_at IS NULL AND confirm_by < now() - interval '1 day';

-- who was picked for an invitation had confirmed their place
SELECT id, invitation_id FROM waitlist WHERE invitation_id IS NOT NULL AND confirmed_at IS NULL;

-- everybody who is left of a finished invitation has a code
SELECT waitlist.id, invitation_id FROM waitlist
JOIN waitlist_invitations ON waitlist_invitations.id = invitation_id
WHERE finished_at IS NOT NULL AND invited_at IS NULL;

-- no two people on the waitlist were sent the same code
SELECT promo_code, count(*) FROM waitlist WHERE promo_code IS NOT NULL GROUP BY promo_code HAVING count(*) > 1;

-- confirmed members stand in the queue, and no others
SELECT id, ticket, queue_position FROM waitlist WHERE (ticket IS NULL) <> (queue_position IS NULL);

-- a friend who has confirmed gave who brought them five places, or as many as there were
SELECT id, referred_by, places_given FROM waitlist
WHERE places_given NOT BETWEEN 0 AND 5 OR ticket IS NULL AND places_given IS NOT NULL;

-- users deleted at their own request are gone, also after a backup was restored
SELECT subject, erasures.id FROM erasures
WHERE subject = 'user' AND EXISTS (SELECT FROM "user" WHERE "user".id = erasures.id)
  OR subject = 'waitlist' AND EXISTS (SELECT FROM waitlist WHERE waitlist.id = erasures.id);
