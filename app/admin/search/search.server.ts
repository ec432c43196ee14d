import { and, desc, eq, isNull, type SQL, sql } from "drizzle-orm";
import { session, user } from "../../auth/schema.ts";
import { askWhoseItIs, findByStripeId, isStripeId } from "../../billing/find-by-stripe-id.server.ts";
import { formatMoney } from "../../billing/plans.ts";
import { prices, products, stripeInvoices } from "../../billing/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import { isForever } from "../../entitlements/expiry.ts";
import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import type { App } from "../../http/context.server.ts";
import { mails } from "../../mail/schema.ts";
import { findJob, readJobs } from "../../outbox/jobs.server.ts";
import { outbox } from "../../outbox/schema.ts";
import { normalizePromoCode, PROMO_CODE_MAX_LENGTH } from "../../promo/rules.ts";
import { grants, promoCodes } from "../../promo/schema.ts";
import { foldAddress } from "../../ui/email-address.ts";
import { withoutDirectionMarks } from "../../ui/typed-text.ts";
import { waitlist } from "../../waitlist/schema.ts";
import { kindInWords, stateOfJob } from "../jobs/job-words.ts";
import { startsWith } from "../lists/keyset.server.ts";
import { type PersonRow, readHoldings } from "../people/people-list.server.ts";
import { SOURCE_NAMES } from "../people/source-names.ts";
import type { Hit } from "./search-path.ts";

export interface Found {
  hits: Hit[];
  /** Why there may be more. */
  note: string | null;
}

const MOST_SHOWN = 20;
const MAX_LENGTH = 254;

/** Each kind reads its own index. @param asksStripe whether Stripe is asked about an unknown id */
export async function search(
  app: Pick<App, "db" | "payments" | "log">,
  typed: string,
  asksStripe = true,
): Promise<Found> {
  const text = withoutDirectionMarks(typed.slice(0, 4 * MAX_LENGTH)).slice(0, MAX_LENGTH);
  // PostgreSQL stores no NUL.
  if (text === "" || text.includes("\0")) return { hits: [], note: null };
  if (isStripeId(text)) return searchStripe(app, text, asksStripe);
  const { db } = app;
  const found = await Promise.all([
    findPeople(db, text),
    findByNumber(db, text),
    findCode(db, text),
    findInvoiceByNumber(db, text),
    findPrices(db, text),
    findPlaces(db, text),
    findMails(db, text),
    findJobs(db, text),
  ]);
  return { hits: await withPlans(db, withPlaces(unique(found.flat()))), note: null };
}

/** Who has an account and a place is found once. */
function withPlaces(hits: readonly FoundHit[]): FoundHit[] {
  const people = new Set(hits.flatMap(({ person }) => person?.email ?? []));
  const isTheirs = (hit: FoundHit) => hit.kind === "Waitlist" && people.has(hit.title);
  const onWaitlist = new Set(hits.filter(isTheirs).map(({ title }) => title));
  return hits
    .filter((hit) => !isTheirs(hit))
    .map((hit) =>
      hit.person && onWaitlist.has(hit.person.email)
        ? { ...hit, detail: [hit.detail, "on the waitlist"].filter(Boolean).join(" · ") }
        : hit,
    );
}

/** Its one exact hit, or else its only one. */
export function onlyHit({ hits }: Found): Hit | null {
  const exact = hits.filter(({ isExact }) => isExact);
  const [first] = exact.length > 0 ? exact : hits;
  return first && (exact.length || hits.length) === 1 ? first : null;
}

async function searchStripe(
  app: Pick<App, "db" | "payments" | "log">,
  id: string,
  asksStripe: boolean,
): Promise<Found> {
  const invoices = await findInvoices(app.db, eq(stripeInvoices.id, id));
  if (invoices.length > 0) return { hits: invoices, note: null };
  const stored = await findByStripeId(app.db, id);
  if (!stored && !asksStripe) return { hits: [], note: "It isn’t known here. Press Enter to ask Stripe." };
  const owner = stored ?? (await askWhoseItIs(app, id));
  if (owner === "away")
    return { hits: [], note: "It isn’t known here, and Stripe couldn’t be asked. Try again in a moment." };
  if (!owner) return { hits: [], note: "It isn’t known here, and Stripe doesn’t know whose it is either." };
  const { userId, unknownCustomer } = owner;
  const people = await app.db.select(PERSON).from(user).where(eq(user.id, userId));
  const query = unknownCustomer ? `?customer=${unknownCustomer}` : "";
  const hits = people.map((person) => ({
    ...personHit(person, true),
    href: `/admin/people/${userId}${query}`,
  }));
  return { hits: await withPlans(app.db, hits), note: null };
}

const PERSON = { id: user.id, email: user.email, name: user.name, isConfirmed: user.emailVerified };

interface Person {
  id: string;
  email: string;
  name: string;
  isConfirmed: boolean;
}

/** Before `withPlans`. */
type FoundHit = Hit & { person?: Person };

function personHit(person: Person, isExact: boolean): FoundHit {
  const { id, email, name } = person;
  return { kind: "Person", title: email, detail: name, href: `/admin/people/${id}`, isExact, person };
}

/** People with their plan, and what is wrong with it. */
async function withPlans(db: Queryable, hits: readonly FoundHit[]): Promise<Hit[]> {
  const holdingsOf = await readHoldings(
    db,
    hits.flatMap(({ person }) => person?.id ?? []),
  );
  return hits.map(({ person, ...hit }) => {
    if (!person) return hit;
    const { plan, state } = holdingsOf(person);
    return { ...hit, detail: [hit.detail, planInWords(plan)].filter(Boolean).join("\n"), state };
  });
}

function planInWords(plan: PersonRow["plan"]): string {
  if (!plan) return "No plan";
  const { tier, source, promoCode, expiresAt, renews } = plan;
  const end = `${renews ? "renews" : "until"} ${expiresAt.toISOString().slice(0, 10)}`;
  return [
    PLAN_NAMES[tier],
    promoCode ?? SOURCE_NAMES[source],
    isForever(expiresAt, new Date().getUTCFullYear()) ? "no end" : end,
  ].join(" · ");
}

async function findPeople(db: Queryable, text: string): Promise<FoundHit[]> {
  const beginningWith = (by: SQL, prefix: string) =>
    db
      .select(PERSON)
      .from(user)
      .where(startsWith(by, prefix))
      .orderBy(sql`${by} USING ~<~`)
      .limit(MOST_SHOWN + 1);
  const email = foldAddress(text);
  const [byEmail, byName] = await Promise.all([
    beginningWith(sql`lower(${user.email})`, email),
    beginningWith(sql`lower(${user.name})`, text),
  ]);
  const hit = (person: (typeof byEmail)[number]) => personHit(person, person.email === email.toLowerCase());
  return [
    ...firstOf(byEmail.map(hit), "/admin/people", { email }),
    ...firstOf(byName.map(hit), "/admin/people", { name: text }),
  ];
}

/** And a link to the list of all of them, if there are more. */
function firstOf(found: FoundHit[], list: string, filter: Record<string, string>): FoundHit[] {
  const [first] = found;
  if (!first || found.length <= MOST_SHOWN) return found;
  const href = `${list}?${new URLSearchParams(filter)}`;
  const detail = `Only the first ${MOST_SHOWN} are shown here`;
  const title = `See all that begin with “${Object.values(filter).join()}”`;
  return [
    ...found.slice(0, MOST_SHOWN),
    { kind: first.kind, title, detail, href, isExact: false, isRest: true },
  ];
}

/** By the id of a person, a session or a grant. */
async function findByNumber(db: Queryable, text: string): Promise<FoundHit[]> {
  if (!/^[\w-]{8,64}$/.test(text)) return [];
  const [people, ofSessions, ofGrants] = await Promise.all([
    db.select(PERSON).from(user).where(eq(user.id, text)),
    db.select(PERSON).from(session).innerJoin(user, eq(user.id, session.userId)).where(eq(session.id, text)),
    db.select(PERSON).from(grants).innerJoin(user, eq(user.id, grants.userId)).where(eq(grants.id, text)),
  ]);
  return [...people, ...ofSessions, ...ofGrants].map((person) => personHit(person, true));
}

async function findCode(db: Queryable, text: string): Promise<Hit[]> {
  const code = normalizePromoCode(text);
  if (code === "" || code.length > PROMO_CODE_MAX_LENGTH) return [];
  const found = await db.select().from(promoCodes).where(eq(promoCodes.code, code));
  return found.map(({ usedCount, maxUses, active }) => ({
    kind: "Promo code",
    title: code,
    detail: `Used ${usedCount}${maxUses === null ? "" : ` of ${maxUses}`} times`,
    state: active ? null : { word: "Paused" },
    href: `/admin/codes/${encodeURIComponent(code)}`,
    isExact: true,
  }));
}

async function findPrices(db: Queryable, text: string): Promise<Hit[]> {
  if (!/^(price|prod)_\w+$/.test(text)) return [];
  const found = text.startsWith("prod_")
    ? await db.select({ id: products.id, name: products.name }).from(products).where(eq(products.id, text))
    : await db
        .select({ id: prices.id, name: products.name })
        .from(prices)
        .innerJoin(products, eq(products.id, prices.productId))
        .where(eq(prices.id, text));
  return found.map(({ id, name }) => ({
    kind: "Plan",
    title: name,
    detail: id,
    href: "/admin/plans",
    isExact: true,
  }));
}

async function findPlaces(db: Queryable, text: string): Promise<Hit[]> {
  const found = await db
    .select({ email: waitlist.email, name: waitlist.name, confirmedAt: waitlist.confirmedAt })
    .from(waitlist)
    .where(startsWith(waitlist.email, foldAddress(text)))
    .orderBy(sql`${waitlist.email} USING ~<~`)
    .limit(MOST_SHOWN + 1);
  const hits = found.map(
    ({ email, name, confirmedAt }): Hit => ({
      kind: "Waitlist",
      title: email,
      detail: [name, confirmedAt ? "Confirmed" : "Not confirmed"].filter(Boolean).join(", "),
      href: `/admin/waitlist?${new URLSearchParams({ email })}`,
      isExact: false,
    }),
  );
  return firstOf(hits, "/admin/waitlist", { email: foldAddress(text) });
}

async function findMails(db: Queryable, text: string): Promise<Hit[]> {
  const recipient = foldAddress(text).toLowerCase();
  if (!recipient.includes("@")) return [];
  const [last] = await db
    .select({ subject: mails.subject })
    .from(mails)
    .where(eq(mails.recipient, recipient))
    .orderBy(desc(mails.id))
    .limit(1);
  if (!last) return [];
  const href = `/admin/mail?${new URLSearchParams({ recipient })}`;
  const detail = `The last one: ${last.subject}`;
  return [{ kind: "Email", title: `Emails to ${recipient}`, detail, href, isExact: false }];
}

function unique(hits: readonly FoundHit[]): FoundHit[] {
  const byPlace = new Map<string, FoundHit>();
  for (const hit of hits) if (hit.isExact || !byPlace.has(hit.href)) byPlace.set(hit.href, hit);
  return [...byPlace.values()];
}

function findInvoiceByNumber(db: Queryable, text: string): Promise<Hit[]> {
  const number = text.toUpperCase();
  return /^[\w-]{1,64}$/.test(number) && number.includes("-")
    ? findInvoices(db, eq(stripeInvoices.number, number))
    : Promise.resolve([]);
}

async function findInvoices(db: Queryable, where: SQL): Promise<Hit[]> {
  const { id, number, total, currency, userId } = stripeInvoices;
  const found = await db
    .select({ id, number, total, currency, userId, email: user.email })
    .from(stripeInvoices)
    .innerJoin(user, eq(user.id, userId))
    .where(where);
  return found.map((invoice) => ({
    kind: "Invoice",
    title: invoice.number ?? invoice.id,
    detail: `${invoice.email}, ${formatMoney(invoice.total, invoice.currency)}`,
    href: `/admin/people/${invoice.userId}#payments`,
    isExact: true,
  }));
}

const MOST_JOBS = 10;
/** Shorter words begin many names. */
const LEAST_LETTERS = 3;

type Job = NonNullable<Awaited<ReturnType<typeof findJob>>>;

/** The job with this number; or open ones, oldest first, whose kind begins with these words: "send mail". */
async function findJobs(db: Queryable, text: string): Promise<Hit[]> {
  const job = await findJob(db, text);
  if (job) return [hitOf(job, true)];
  const kind = text.toLowerCase().replaceAll(" ", "_");
  if (kind.length < LEAST_LETTERS || !/^[a-z_]+$/.test(kind)) return [];
  const where = and(isNull(outbox.doneAt), startsWith(outbox.kind, kind));
  const open = await readJobs(db, { where, orderBy: [sql`${outbox.id}`], limit: MOST_JOBS }, {});
  return open.map((each) => hitOf(each, false));
}

function hitOf(job: Job, isExact: boolean): Hit {
  const { id, kind, lastError, doneAt } = job;
  return {
    kind: "Job",
    title: `${kindInWords(kind)} ${id}`,
    detail: (!doneAt && lastError) || "",
    state: stateOfJob(job),
    href: kind === "send_mail" ? `/admin/mail/${id}` : `/admin/jobs?job=${id}`,
    isExact,
  };
}
