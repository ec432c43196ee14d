import { and, count, desc, eq, getTableColumns, isNotNull, isNull, ne, sql } from "drizzle-orm";
import { mailboxOf, mailboxSql } from "../../auth/mailbox.ts";
import { BY_PASSWORD } from "../../auth/passwords.server.ts";
import { providerName } from "../../auth/providers/providers.ts";
import { account, authenticatorApps, passkeys, recoveryCodes, session, user } from "../../auth/schema.ts";
import { isOpen } from "../../auth/sessions.server.ts";
import { photoVersionOf } from "../../auth/users.server.ts";
import { cardBrandName } from "../../billing/card-brand.server.ts";
import { declineReason } from "../../billing/plan/decline-reason.server.ts";
import { listInvoices } from "../../billing/plan/plan-overview.server.ts";
import type { InvoiceLine } from "../../billing/plan/plan-overview.ts";
import { currentTime } from "../../billing/plan/refund.server.ts";
import { chargedAmount } from "../../billing/plans.ts";
import { customers, prices, stripeInvoices, stripeSubscriptions } from "../../billing/schema.ts";
import { contactMessages } from "../../contact/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import { currentSubscription } from "../../entitlements/subscription.server.ts";
import { includesTier, type Tier } from "../../entitlements/tiers.ts";
import { UNPAID } from "../../figures/overview-counts.server.ts";
import { grants } from "../../promo/schema.ts";
import { waitlist } from "../../waitlist/schema.ts";

/** More than any account has. */
const MOST_SHOWN = 100;

export type PersonRead = NonNullable<Awaited<ReturnType<typeof readPerson>>>;

/** `null`: there is no such account. */
export async function readPerson(db: Queryable, userId: string) {
  const [person] = await db
    .select({ ...getTableColumns(user), photoVersion: photoVersionOf(user.id) })
    .from(user)
    .where(eq(user.id, userId));
  if (!person) return null;
  const now = await currentTime(db);
  const [signIn, customer, holdings, invoices, owed, plan, place, sameMailbox, [messages]] =
    await Promise.all([
      readSignIn(db, userId),
      readCustomer(db, userId),
      readHoldings(db, userId, now),
      listInvoices(db, userId, MOST_SHOWN),
      readOwed(db, userId),
      currentSubscription(db, userId),
      readPlace(db, person.email),
      listSameMailbox(db, person),
      db
        .select({ waiting: count() })
        .from(contactMessages)
        .where(
          and(sql`lower(${contactMessages.email}) = ${person.email}`, isNull(contactMessages.answeredAt)),
        ),
    ]);
  return {
    person,
    signIn,
    customer,
    invoices,
    owed,
    plan,
    place,
    sameMailbox,
    waitingMessages: messages?.waiting ?? 0,
    holdings: describeHoldings(holdings, now).map((holding) => ({
      ...holding,
      /** What they would have without it. */
      otherwise:
        inForce(
          holdings.filter(({ id }) => id !== holding.id),
          now,
        )?.tier ?? null,
    })),
    paid: paidInYear(invoices, now),
  };
}

async function readSignIn(db: Queryable, userId: string) {
  const [accounts, [app], keys, codes, sessions] = await Promise.all([
    db.select({ provider: account.providerId }).from(account).where(eq(account.userId, userId)),
    db
      .select({ since: authenticatorApps.confirmedAt })
      .from(authenticatorApps)
      .where(and(eq(authenticatorApps.userId, userId), isNotNull(authenticatorApps.confirmedAt))),
    db.select({ name: passkeys.name }).from(passkeys).where(eq(passkeys.userId, userId)),
    db
      .select({ unused: sql<number>`count(*) FILTER (WHERE ${recoveryCodes.usedAt} IS NULL)::int` })
      .from(recoveryCodes)
      .where(eq(recoveryCodes.userId, userId)),
    db
      .select({ lastSeen: session.updatedAt })
      .from(session)
      .where(and(eq(session.userId, userId), isOpen))
      .orderBy(desc(session.updatedAt))
      .limit(MOST_SHOWN),
  ]);
  return {
    methods: accounts.map(({ provider }) => (provider === BY_PASSWORD ? "Password" : providerName(provider))),
    secondFactor: [
      ...(app ? ["Authenticator app"] : []),
      ...keys.map(({ name }) => `Passkey “${name}”`),
      ...(codes[0]?.unused ? [`${codes[0].unused} recovery codes`] : []),
    ],
    hasSecondFactor: app !== undefined || keys.length > 0,
    sessions: sessions.length,
    lastSeen: sessions[0]?.lastSeen ?? null,
  };
}

/** By currency. `why`: of the newest. */
async function readOwed(db: Queryable, userId: string) {
  const { amountDue, createdAt, currency, declineCode } = stripeInvoices;
  const owed = await db
    .select({
      currency,
      amount: sql<number>`sum(${amountDue})::float8`,
      declineCode: sql<string | null>`(array_agg(${declineCode} ORDER BY ${createdAt} DESC))[1]`,
    })
    .from(stripeInvoices)
    .where(and(eq(stripeInvoices.userId, userId), UNPAID))
    .groupBy(currency)
    .orderBy(desc(sql`max(${createdAt})`));
  return owed.map(({ declineCode, ...sum }) => ({ ...sum, why: declineReason(declineCode) }));
}

async function readCustomer(db: Queryable, userId: string) {
  const [customer] = await db
    .select({
      stripeCustomerId: customers.stripeCustomerId,
      syncedAt: customers.syncedAt,
      cardBrand: customers.cardBrand,
      cardLast4: customers.cardLast4,
    })
    .from(customers)
    .where(eq(customers.userId, userId));
  if (!customer) return null;
  const { cardBrand, cardLast4, ...known } = customer;
  const card = cardBrand && cardLast4 ? { brand: cardBrandName(cardBrand), last4: cardLast4 } : null;
  return { ...known, card };
}

async function readHoldings(db: Queryable, userId: string, now: Date): Promise<Holding[]> {
  const [granted, paid] = await Promise.all([
    db
      .select()
      .from(grants)
      .where(eq(grants.userId, userId))
      .orderBy(desc(grants.createdAt))
      .limit(MOST_SHOWN),
    db
      .select({ subscription: stripeSubscriptions, price: prices })
      .from(stripeSubscriptions)
      .innerJoin(prices, eq(prices.id, stripeSubscriptions.priceId))
      .where(eq(stripeSubscriptions.userId, userId))
      .orderBy(desc(stripeSubscriptions.startedAt))
      .limit(MOST_SHOWN),
  ]);
  return [
    ...granted.map((grant) => ({
      id: grant.id,
      source: grant.source,
      tier: grant.tier,
      from: grant.createdAt,
      until: grant.expiresAt,
      renews: false,
      why: grant.promoCode ?? grant.reason,
      revokedAt: grant.revokedAt,
    })),
    ...paid.map(({ subscription, price }) => {
      const { id, tier, status, startedAt: from, cancelAt, currentPeriodEnd } = subscription;
      // Not synced since access_until exists: the period's end, which the view extends by an hour.
      const accessUntil = subscription.accessUntil ?? currentPeriodEnd;
      // As in the view `held_plans`: until its period ends, without the days of grace.
      const renews =
        currentPeriodEnd > now &&
        currentPeriodEnd < accessUntil &&
        !(cancelAt && cancelAt <= currentPeriodEnd);
      const why = `${chargedAmount(price)}, ${status}`;
      const until = renews ? currentPeriodEnd : accessUntil;
      return { id, tier, from, until, renews, why, source: "paid" as const, revokedAt: null };
    }),
  ];
}

export function listSameMailbox(db: Queryable, { id, email }: { id: string; email: string }) {
  return db
    .select({ id: user.id, email: user.email })
    .from(user)
    .where(and(eq(mailboxSql(sql`${user.email}`), mailboxOf(email)), ne(user.id, id)))
    .limit(MOST_SHOWN);
}

async function readPlace(db: Queryable, email: string) {
  const [place] = await db
    .select({
      joinedAt: waitlist.createdAt,
      confirmedAt: waitlist.confirmedAt,
      invitedAt: waitlist.invitedAt,
    })
    .from(waitlist)
    .where(eq(waitlist.email, email));
  return place ?? null;
}

export interface Holding {
  id: string;
  source: "paid" | "promo" | "admin";
  tier: Tier;
  from: Date;
  until: Date;
  renews: boolean;
  /** The code, the operator's reason, or Stripe's status. */
  why: string | null;
  revokedAt: Date | null;
}

/** `waits`: takes over when a better one ends. `adds_nothing`: another gives as much for as long. */
export type HoldingState = "in_force" | "waits" | "adds_nothing" | "ended" | "revoked";

/** In force, waiting, over; newest of each first. */
export function describeHoldings(
  holdings: readonly Holding[],
  now: Date,
): (Holding & { state: HoldingState })[] {
  const isLive = ({ revokedAt, until }: Holding) => !revokedAt && until > now;
  const live = holdings.filter(isLive).toSorted(compareByAccess);
  const stateOf = (holding: Holding): HoldingState => {
    if (holding.revokedAt) return "revoked";
    const rank = live.indexOf(holding);
    if (rank < 0) return "ended";
    if (rank === 0) return "in_force";
    // Those ranked before it have at least its tier.
    return live.slice(0, rank).some((better) => endOf(better) >= endOf(holding)) ? "adds_nothing" : "waits";
  };
  return holdings
    .map((holding) => ({ ...holding, state: stateOf(holding) }))
    .toSorted(
      (one, other) =>
        ORDER.indexOf(one.state) - ORDER.indexOf(other.state) || other.from.getTime() - one.from.getTime(),
    );
}

function inForce(holdings: readonly Holding[], now: Date) {
  return describeHoldings(holdings, now).find(({ state }) => state === "in_force");
}

const YEAR_MILLISECONDS = 365 * 24 * 60 * 60 * 1000;

/** What was paid in the last 365 days and not refunded, in the currency of the newest invoice. */
function paidInYear(invoices: readonly InvoiceLine[], now: Date) {
  const [newest] = invoices;
  if (!newest) return null;
  const amount = invoices
    .filter(
      ({ status, currency, createdAt }) =>
        status === "paid" &&
        currency === newest.currency &&
        now.getTime() - createdAt.getTime() < YEAR_MILLISECONDS,
    )
    .reduce((sum, { total, amountRefunded }) => sum + total - amountRefunded, 0);
  return { currency: newest.currency, amount };
}

const ORDER: HoldingState[] = ["in_force", "waits", "adds_nothing", "ended", "revoked"];

/** The order of the view `user_subscriptions`: the highest tier, then the longest. */
function compareByAccess(one: Holding, other: Holding): number {
  if (one.tier !== other.tier) return includesTier(one.tier, other.tier) ? -1 : 1;
  return other.until.getTime() - one.until.getTime();
}

function endOf({ renews, until }: Holding): number {
  return renews ? Number.POSITIVE_INFINITY : until.getTime();
}
