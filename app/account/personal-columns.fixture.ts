/**
 * How each column relates to the person it is about: either it is at this path in their copy and described by these words in
 * the privacy text, or it is left out for this reason.
 */
type Place = { inCopy: string; privacy: string } | { because: string };

const inCopy = (path: string, privacy: string): Place => ({ inCopy: path, privacy });
const not = (because: string): Place => ({ because });

/** The same place for several columns, separated by spaces. */
const all = (place: Place, columns: string) =>
  Object.fromEntries(columns.split(" ").map((column) => [column, place]));

/** Columns in a list of the copy, under their own names or those after a colon. */
const listed = (list: string, privacy: string, columns: string) =>
  Object.fromEntries(
    columns.split(" ").map((each) => {
      const [column = "", name = camelCase(column)] = each.split(":");
      return [column, inCopy(`${list}.${name}`, privacy)];
    }),
  );

const KEY = not("a number of our own, which says nothing");
const OWNER = not("whose row it is");
const SECRET = not("a secret, or the hash of one: its reader could act as the person");
const CLOCKWORK = not("how far our own work on the row has come");
const NOBODYS = not("says nothing of any person");
const SUM = not("counted of all together: who is not kept");

const SIGN_INS =
  "For each browser where you’re signed in: when you signed in, when that ends, when you last used it";
const PHOTO = "If you upload one, a small copy of the picture itself, without any other data, and when";
const SECOND_STEP = "when you last took the second step";
const APP = "For an authenticator app: when you set it up";
const PASSKEY =
  "For each passkey: its name, its ID and public key, how it connects, when you added it and when you last used it";
const RECOVERY = "For recovery codes: when you made them, when you used each";
const FLOWS = "which one you use, what for, where you go next and how it ended";
const LINKS =
  "For each link in an email: what it’s for, the address it went to, where you go next, when it was sent and used, and when it expires";
const PLAN = "Which plan you have, its state, its price and its dates";
const CARD = "The card on file: its brand, last four digits and expiry date";
const INVOICES =
  "For each invoice: its number, state, amounts and dates, what it’s for, how its payment and any dispute went, and where to open it";
const CHANGES = "What you last asked us to change, why (if you told us), and when it was done";
const CONSENT = "The renewal terms you agreed to, word for word, and when";
const WITHDRAWAL = "A withdrawal you declared, with the name and email address you gave";
const NOTICES = "Which emails about your plan we sent";
const PAGES = "the price, the time, Stripe’s number for it, and where and when you came back";
const NEWS = "What kind of news Stripe sent us about your payments, and when";
const PRODUCT_NEWS = "If you ask for product news (a): since when, and which we sent you";
const CATEGORIES = "If you save categories, their names and words, and when";
const GIVEN = "if we gave you a plan, why";
const CODES = "Which code you redeemed, when, the plan it gave and when it ends";
const MESSAGES = "The name, email address, topic and text you send";
const ANSWERS = "when we answered and what we wrote";
const MAILS =
  "the address and the subject of each email we sent you, when it was written and when it was sent, or when we gave up and why";
const OPERATORS =
  "what an operator of the site did, with our numbers only; who did it is of interest, to whom is not";
const ERASED = not(
  "of somebody who is gone: the number is all that is left, so that a restored backup loses them again",
);
const INVITATION = "When we invited you, and the code we sent you";
const STANDING = not("where they stand, worked out of what the copy has, and gone with their place");
const REQUESTS = "How many emails you asked for, and when we sent the last one";

function camelCase(column: string): string {
  return column.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** By table and column as the database names them. */
export const PERSONAL_COLUMNS: Record<string, Record<string, Place>> = {
  database_purpose: { only_row: NOBODYS, purpose: NOBODYS },
  processes: all(NOBODYS, "id role version host started_at seen_at"),
  erasures: all(ERASED, "subject id erased_at"),
  backups: all(NOBODYS, "id started_at finished_at method file bytes sha256 is_encrypted checked_at failure"),
  assets: all(NOBODYS, "path type plain br gzip used_at"),
  user: {
    id: inCopy("profile.id", "our number for your account"),
    name: inCopy("profile.name", "Your name (any name you like)"),
    email: inCopy("profile.email", "your email address"),
    email_verified: inCopy("profile.emailVerified", "whether you confirmed it"),
    image: inCopy("profile.image", "the link to your photo"),
    ...listed("profile", "when you signed up", "created_at updated_at"),
    ending_told_at: inCopy("profile.endingToldAt", "when we reminded you to"),
    time_zone: inCopy("profile.timeZone", "the time zone your browser is set to"),
    product_news_since: inCopy("profile.productNewsSince", PRODUCT_NEWS),
  },
  photos: {
    user_id: OWNER,
    version: KEY,
    ...listed("photo", PHOTO, "jpeg updated_at:savedAt"),
  },
  session: {
    id: KEY,
    token_hash: SECRET,
    ...listed("sessions[]", SIGN_INS, "expires_at created_at:signedInAt updated_at:lastSeenAt"),
    user_agent: inCopy("sessions[].userAgent", "how the browser describes itself"),
    user_id: OWNER,
    confirmed_at: inCopy("sessions[].confirmedAt", "when you last confirmed that it’s you"),
    needs_second_factor: inCopy(
      "sessions[].waitsForSecondStep",
      "whether that browser is waiting for your second step",
    ),
    second_factor_at: inCopy("sessions[].secondStepAt", SECOND_STEP),
    challenge: SECRET,
    challenge_at: CLOCKWORK,
  },
  account: {
    id: KEY,
    account_id: inCopy("signInMethods.connected[].accountId", "the ID they use for you"),
    provider_id: inCopy("signInMethods.connected[].provider", "If you connect Google or Facebook"),
    user_id: OWNER,
    password: SECRET,
    created_at: inCopy("signInMethods.connected[].since", "the ID they use for you and since when"),
    updated_at: inCopy("signInMethods.passwordChangedAt", "when you set and changed it"),
  },
  authenticator_apps: {
    user_id: OWNER,
    secret: SECRET,
    ...listed("twoStepSignIn.authenticatorApp", APP, "confirmed_at:since created_at:begunAt"),
    last_step: not("which codes of the app are used up; the sign-ins say when the second step was taken"),
  },
  passkeys: {
    user_id: OWNER,
    counter: CLOCKWORK,
    ...listed(
      "twoStepSignIn.passkeys[]",
      PASSKEY,
      "id name public_key transports created_at:since last_used_at",
    ),
  },
  recovery_codes: {
    user_id: OWNER,
    code_hash: SECRET,
    ...listed("twoStepSignIn.recoveryCodes[]", RECOVERY, "used_at created_at:madeAt"),
  },
  jwks: all(NOBODYS, "id public_key private_key created_at expires_at alg"),
  mail_links: {
    token_hash: SECRET,
    user_id: OWNER,
    ...listed(
      "linksInEmails[]",
      LINKS,
      "purpose email:sentTo expires_at return_to used_at created_at:writtenAt",
    ),
  },
  provider_flows: {
    user_id: OWNER,
    ...all(SECRET, "state_hash browser_hash popup_nonce nonce code_verifier"),
    ...listed(
      "signInsUnderWay[]",
      FLOWS,
      "provider intent return_to expires_at used_at outcome created_at:begunAt",
    ),
  },
  handoffs: { token_hash: SECRET, expires_at: NOBODYS },
  rate_limits: {
    key: not("a keyed hash, which cannot be read back"),
    ...all(not("beside a keyed hash, which cannot be read back"), "hits wait_until"),
    expires_at: NOBODYS,
  },
  products: all(NOBODYS, "id name description active tier position sync_ticket updated_at"),
  prices: all(
    NOBODYS,
    "id product_id active unit_amount currency interval sync_ticket updated_at created_at",
  ),
  skipped_prices: { id: NOBODYS, product_name: NOBODYS, reason: NOBODYS },
  customers: {
    user_id: OWNER,
    ...listed(
      "payments",
      "Your customer number at Stripe",
      "stripe_customer_id:stripeCustomer created_at:customerSince",
    ),
    ...listed(
      "payments.card",
      CARD,
      "payment_method_id:paymentMethod card_brand:brand card_last4:last4 card_exp_month:expiryMonth card_exp_year:expiryYear",
    ),
    synced_at: CLOCKWORK,
    sync_ticket: CLOCKWORK,
  },
  stripe_subscriptions: {
    id: inCopy("payments.subscriptions[].id", PLAN),
    user_id: OWNER,
    ...listed(
      "payments.subscriptions[]",
      PLAN,
      "price_id:price tier is_taxed:taxed status current_period_end cancel_at started_at current_period_start access_until trial_end days_given canceled_at ended_at pause_behavior:pause resumes_at next_price_id:nextPrice schedule_id:schedule next_amount next_payment_at",
    ),
    sync_ticket: CLOCKWORK,
    updated_at: CLOCKWORK,
  },
  stripe_invoices: {
    ...listed(
      "payments.invoices[]",
      INVOICES,
      "id subscription_id number status billing_reason description price_id currency total tax amount_due amount_paid amount_refunded refund_failed refund_failure refund_failed_at created_at paid_at period_start period_end attempt_count next_attempt_at needs_authentication decline_code hosted_url pdf_url payment_intent_id dispute_status",
    ),
    user_id: OWNER,
    sync_ticket: CLOCKWORK,
    updated_at: CLOCKWORK,
  },
  changelog_entries: all(NOBODYS, "id title day body feature mailed_at created_at updated_at"),
  changelog_mails: {
    user_id: OWNER,
    ...listed("productNews[]", PRODUCT_NEWS, "entry_id:entry created_at:mailedAt"),
  },
  saved_categories: {
    user_id: OWNER,
    ...listed("categories", CATEGORIES, "categories:list updated_at:savedAt"),
    revision: CLOCKWORK,
  },
  billing_notices: {
    user_id: OWNER,
    ...listed("payments.emailsAboutPlan[]", NOTICES, "kind subject:about created_at:sentAt"),
  },
  plan_changes: {
    subscription_id: inCopy("payments.changesAskedFor[].subscription", CHANGES),
    user_id: OWNER,
    number: CLOCKWORK,
    at_once: not("how an operator ends a plan; their copy has the end itself"),
    ...listed(
      "payments.changesAskedFor[]",
      CHANGES,
      "kind price_id:price proration_date:calculatedFrom reason comment requested_at:askedAt applied_at:doneAt",
    ),
  },
  renewal_consents: {
    id: KEY,
    user_id: OWNER,
    ...listed(
      "payments.renewalTermsAgreedTo[]",
      CONSENT,
      "price_id:price subscription_id:subscription text_version text agreed_at",
    ),
  },
  withdrawals: {
    id: KEY,
    user_id: OWNER,
    ...listed("payments.withdrawals[]", WITHDRAWAL, "subscription_id:subscription name email declared_at"),
  },
  features: { key: NOBODYS, opened_at: NOBODYS },
  checkout_attempts: {
    id: KEY,
    user_id: OWNER,
    ...listed(
      "payments.paymentPages[]",
      PAGES,
      "price_id:price success_url cancel_url session_id:session created_at:openedAt returned_at status",
    ),
    checks: CLOCKWORK,
    check_at: CLOCKWORK,
  },
  stripe_events: {
    id: NOBODYS,
    ...listed("payments.newsFromStripe[]", NEWS, "type:kind created:happenedAt received_at"),
    handled_at: CLOCKWORK,
    customer_id: inCopy("payments.newsFromStripe[].customer", "Your customer number at Stripe"),
  },
  promo_batches: all(
    NOBODYS,
    "id name size tier starts_at expires_at max_uses duration_type duration_months confirmed_only once_per_mailbox created_at finished_at",
  ),
  promo_codes: all(
    NOBODYS,
    "code tier starts_at confirmed_only once_per_mailbox batch_id note is_single expires_at max_uses used_count duration_type duration_months active created_at",
  ),
  grants: {
    id: KEY,
    user_id: OWNER,
    ...listed(
      "promoCodes[]",
      CODES,
      "tier source promo_code:code created_at:redeemedAt expires_at revoked_at days_given",
    ),
    reason: inCopy("promoCodes[].reason", GIVEN),
    mailbox_hash: inCopy(
      "promoCodes[].mailboxHash",
      "With some codes, one of your mailbox as soon as you redeem them",
    ),
  },
  redeemed_addresses: {
    promo_code: OWNER,
    email_hash: inCopy(
      "promoCodes[].formerEmailHashes[]",
      "a scrambled form (a keyed hash) of the address you leave",
    ),
    grant_id: OWNER,
    created_at: CLOCKWORK,
  },
  counted_refunds: {
    subscription_id: not("Stripe's number of a plan, which says nothing without the account"),
    mailbox_hash: not("a keyed hash that outlives the account: nobody can be found by it without our key"),
    refunded_at: not("of the hash alone"),
  },
  waitlist: {
    id: KEY,
    email: inCopy("waitlist.email", "Your email address"),
    ...listed("waitlist", "Your name and what you use today, if you tell us", "name uses_today"),
    token: SECRET,
    token_hash: SECRET,
    referral_code: inCopy("waitlist.referralCode", "your referral code"),
    referred_by: not("somebody else; the copy says whether there is one"),
    ticket: inCopy("waitlist.place", "your place"),
    queue_position: STANDING,
    places_given: STANDING,
    ...listed("waitlist", "whether and when you confirmed", "confirmed_at confirm_by"),
    ...listed("waitlist", REQUESTS, "sends:emailsAskedFor sent_at:lastEmailAt"),
    invitation_id: not("which mailing they were in; the copy has when, and the code"),
    invitation_position: CLOCKWORK,
    ...listed("waitlist", INVITATION, "invited_at promo_code:code"),
    created_at: inCopy("waitlist.joinedAt", "Your email address"),
  },
  waitlist_invitations: all(NOBODYS, "id size tier duration_months expires_at created_at finished_at"),
  sent_contact_forms: {
    id: KEY,
    content_hash: not("tells a message that was sent twice, and is made of what the copy has"),
    expires_at: NOBODYS,
  },
  contact_messages: {
    id: KEY,
    ...listed("messages[]", MESSAGES, "name email topic message created_at:sentAt"),
    ...listed("messages[]", ANSWERS, "answered_at answer"),
    content_hash: not("tells a message that was sent twice, and is made of what the copy has"),
    answered_by: not("which of us answered"),
  },
  mails: {
    id: KEY,
    ...listed("emails[]", MAILS, "recipient:to subject queued_at:writtenAt sent_at given_up_at failure"),
    about: not("what it can be written anew from, which the copy has itself"),
  },
  audit_log: all(not(OPERATORS), "id at actor action subject before after reason"),
  outbox: {
    id: KEY,
    kind: CLOCKWORK,
    dedupe_key: not("whose numbers the job has while it waits; emptied when it is done"),
    event_ids: NOBODYS,
    claimed_at: CLOCKWORK,
    payload: not("an email on its way, or the numbers of a job; emptied when it is done"),
    ...all(CLOCKWORK, "run_at attempts done_at last_error created_at"),
  },
  daily_figures: { day: NOBODYS, name: NOBODYS, label: NOBODYS, value: SUM, updated_at: NOBODYS },
  page_views: { day: NOBODYS, page: NOBODYS, referrer: SUM, views: SUM },
};

/** Columns that may still identify a person after their account is deleted, and why. */
export const OUTLIVES_ACCOUNT: Record<string, string> = {
  erasures: "its number alone, for as long as backups hold the rest, so that a restored one loses it again",
  waitlist: "joined without an account; its own mails have a link to leave",
  contact_messages: "sent without an account; deleted by hand once the matter is settled",
};
