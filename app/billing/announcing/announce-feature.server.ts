import { and, count, eq, like, sql } from "drizzle-orm";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import { auditLog } from "../../audit/schema.ts";
import type { Database, Queryable } from "../../db/client.server.ts";
import { loadFeatureStates } from "../../entitlements/features.server.ts";
import type { FeatureStates } from "../../entitlements/features.ts";
import { features } from "../../entitlements/schema.ts";
import { FEATURES_BY_TIER, type Feature, TIERS, type Tier } from "../../entitlements/tiers.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import { queueMailing } from "../../mail/mails.server.ts";
import { defineJob, enqueue, type Job } from "../../outbox/outbox.server.ts";
import { saveProgress } from "../../outbox/progress.server.ts";
import type { Site } from "../../ui/site.ts";
import { GIVE_DAYS } from "../job-kinds.server.ts";
import { featureOpenMessage } from "../notices/plan-messages.ts";
import { billingNotices } from "../schema.ts";
import type { Move } from "./describe-moves.ts";
import { findMoves, type MovedGrant, moveGrants } from "./waited-days.server.ts";

interface Announcement {
  feature: Feature;
  actor: string;
  after?: string;
  mailed?: number;
}

export const ANNOUNCE_FEATURE = defineJob<Announcement>("announce_feature", ({ feature }) => feature);

const CHUNK = 200;

const NOTICE = "feature_open";

export async function findAnnouncement(db: Queryable, feature: Feature) {
  const [row] = await db
    .select({ at: auditLog.at, mailed: sql<number>`coalesce((${auditLog.after} ->> 'mailed')::int, 0)` })
    .from(auditLog)
    .where(and(eq(auditLog.subject, subjectOf(feature)), eq(auditLog.action, "feature.announced")))
    .limit(1);
  return row ?? null;
}

export const subjectOf = (feature: Feature): `feature:${Feature}` => `feature:${feature}`;

/** Plans the mail to everyone with the feature, once, in the transaction that opens it. @returns whether there will be one */
export async function planAnnouncement(
  tx: Queryable,
  { name: actor }: Actor,
  feature: Feature,
  openedAt: Date,
): Promise<boolean> {
  if (await findAnnouncement(tx, feature)) return false;
  const { rows } = await tx.execute<{ seconds: number }>(
    sql`SELECT greatest(0, ceil(extract(epoch FROM ${openedAt}::timestamptz - now())))::float8 AS seconds`,
  );
  await enqueue(tx, ANNOUNCE_FEATURE, { feature, actor }, { delaySeconds: rows[0]?.seconds ?? 0 });
  return true;
}

/** Mails everyone with it, and gives days back, each step once. Stops if it is closed again; waits if it was postponed. */
export async function announceFeature(
  db: Database,
  site: Site,
  { feature, actor, after = "", mailed: mailedBefore = 0 }: Announcement,
  job: Pick<Job, "id">,
  isStopping: () => boolean = () => false,
): Promise<void> {
  let mailed = mailedBefore;
  await queueMailing(db, after, isStopping, async (tx, reached) => {
    const states = await loadFeatureStates(tx);
    const { isOpen, openedAt } = states[feature];
    if (!isOpen) {
      if (openedAt) await planAnnouncement(tx, { name: actor }, feature, openedAt);
      return null;
    }
    const { holders, userIds, last } = await lockNextHolders(tx, feature, reached, CHUNK);
    const moved = await giveDaysBack(tx, feature, userIds, states);
    mailed += await mailUnmailed(tx, site, feature, holders, states, moved);
    if (last === null) await recordAnnouncement(tx, { name: actor }, feature);
    else await saveProgress<Announcement>(tx, job, { after: last, mailed });
    return last;
  });
}

/** Grants move at once, subscriptions by jobs. The grant's row and Stripe's subscription note it, so nothing moves twice. */
async function giveDaysBack(
  tx: Queryable,
  feature: Feature,
  userIds: readonly string[],
  states: FeatureStates,
): Promise<MovedGrant[]> {
  const { openedAt } = states[feature];
  if (!openedAt) return [];
  const tiers = tiersWaitingFor(feature, states, openedAt);
  const moves = await findMoves(tx, userIds, tiers, openedAt);
  for (const { kind, id } of moves) {
    if (kind === "subscription")
      await enqueue(tx, GIVE_DAYS, { subscriptionId: id, feature, openedAt: openedAt.toISOString() });
  }
  return moveGrants(tx, userIds, tiers, openedAt);
}

/** Tiers whose first feature it is. */
function tiersWaitingFor(feature: Feature, states: FeatureStates, openedAt: Date): Tier[] {
  const hasOpenedBefore = (other: Feature) => {
    const { isOpen, hasOpened, openedAt: otherAt } = states[other];
    return other !== feature && (hasOpened || (isOpen && otherAt !== null && otherAt < openedAt));
  };
  return tiersWith(feature).filter((tier) => !FEATURES_BY_TIER[tier].some(hasOpenedBefore));
}

/** What the opening would move. @param isAll whether to look at everyone, or only at the first `COUNTED` people */
export async function previewMoves(db: Queryable, feature: Feature, openedAt: Date, isAll: boolean) {
  const states = await loadFeatureStates(db);
  if (states[feature].hasOpened) return { moves: [], isAll: true };
  const tiers = tiersWaitingFor(feature, states, openedAt);
  const moves: Move[] = [];
  let from: string | null = "";
  do {
    const { userIds, last }: Awaited<ReturnType<typeof lockNextHolders>> = await lockNextHolders(
      db,
      feature,
      from,
      COUNTED,
    );
    moves.push(...(await findMoves(db, userIds, tiers, openedAt)));
    from = userIds.length < COUNTED ? null : last;
  } while (isAll && from !== null);
  return { moves, isAll: from === null };
}

async function mailUnmailed(
  tx: Queryable,
  site: Site,
  feature: Feature,
  holders: readonly Holder[],
  states: FeatureStates,
  moved: readonly MovedGrant[],
): Promise<number> {
  if (holders.length === 0) return 0;
  const unsent = await tx
    .insert(billingNotices)
    .values(holders.map(({ userId }) => ({ kind: NOTICE, subject: `${feature}:${userId}`, userId })))
    .onConflictDoNothing()
    .returning({ userId: billingNotices.userId });
  const ids = new Set(unsent.map(({ userId }) => userId));
  const isFirst = (tier: Tier) =>
    FEATURES_BY_TIER[tier].every((other) => other === feature || !states[other].isOpen);
  for (const { userId, email, timeZone, paidTiers } of holders) {
    if (!ids.has(userId)) continue;
    // The grant that ends last is the one they will see.
    const [grant = null] = moved
      .filter((each) => each.userId === userId)
      .toSorted((one, other) => other.endsAt.getTime() - one.endsAt.getTime());
    const facts = { feature, changesRefund: paidTiers.some(isFirst), grant };
    const recipient = { to: email, site, timeZone, features: states, remaining: null };
    await enqueueMail(tx, site, featureOpenMessage(facts, recipient));
  }
  return ids.size;
}

async function recordAnnouncement(tx: Queryable, actor: Actor, feature: Feature): Promise<void> {
  // Serializes concurrent runs.
  await tx.select().from(features).where(eq(features.key, feature)).for("update");
  if (await findAnnouncement(tx, feature)) return;
  const [done] = await tx
    .select({ mailed: count() })
    .from(billingNotices)
    .where(and(eq(billingNotices.kind, NOTICE), like(billingNotices.subject, `${feature}:%`)));
  await recordChange(tx, actor, {
    action: "feature.announced",
    subject: subjectOf(feature),
    after: { mailed: done?.mailed ?? 0 },
  });
}

type Holder = { userId: string; email: string; timeZone: string | null; paidTiers: Tier[] };

function tiersWith(feature: Feature): Tier[] {
  return TIERS.filter((tier) => FEATURES_BY_TIER[tier].includes(feature));
}

/** By id, those who ever had a plan, and which of them have the feature; locked. @returns `last`: `null` at the end */
async function lockNextHolders(tx: Queryable, feature: Feature, after: string, limit: number) {
  const { rows } = await tx.execute<Holder & { holds: boolean }>(sql`
      WITH next AS MATERIALIZED (
        SELECT user_id FROM (
          (SELECT DISTINCT user_id FROM grants WHERE user_id > ${after} ORDER BY user_id LIMIT ${limit})
          UNION
          (SELECT DISTINCT user_id FROM stripe_subscriptions WHERE user_id > ${after} ORDER BY user_id LIMIT ${limit})
        ) AS either
        ORDER BY user_id LIMIT ${limit}
      )
      SELECT "user".id AS "userId", "user".email, "user".time_zone AS "timeZone", coalesce(held.paid, '{}') AS "paidTiers", held.holds
      FROM next
      JOIN "user" ON "user".id = next.user_id
      CROSS JOIN LATERAL (
        SELECT count(*) > 0 AS holds, array_agg(tier) FILTER (WHERE source = 'paid') AS paid
        FROM held_plans
        WHERE held_plans.user_id = next.user_id AND tier IN ${tiersWith(feature)}
      ) AS held
      ORDER BY "user".id
      FOR KEY SHARE OF "user"`);
  return {
    holders: rows.filter(({ holds }) => holds),
    userIds: rows.map(({ userId }) => userId),
    last: rows.at(-1)?.userId ?? null,
  };
}

const COUNTED = 500;

/** `isAll`: there are no more than were counted. */
export async function countHolders(db: Queryable, feature: Feature) {
  const { holders, last } = await lockNextHolders(db, feature, "", COUNTED);
  const isAll = last === null || (await lockNextHolders(db, feature, last, 1)).last === null;
  return { count: holders.length, isAll };
}
