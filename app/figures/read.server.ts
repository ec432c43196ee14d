import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { NO_REFERRER, OTHER_HOSTS } from "./visitors.ts";

// Everything here reads sums only, and takes as long for a million accounts as for ten.

/** What the funnel counts, in the order people go through it. */
export const STEPS = [
  "views",
  "joined",
  "confirmed",
  "signed_up",
  "payment_page",
  "paid",
  "redeemed",
  "canceled",
] as const;

export type Step = (typeof STEPS)[number];

/** A count for each step. */
export type StepCounts = Record<Step, number>;

/** A day or the Monday of a week, as `2026-11-22`, in UTC. */
export type Unit = "day" | "week";

export interface Span {
  start: string;
  counts: StepCounts;
}

const NO_STEPS = Object.fromEntries(STEPS.map((step) => [step, 0])) as StepCounts;
const STORED_STEPS = sql.raw(`(${STEPS.map((step) => `'${step}'`).join(", ")})`);

/** The Monday from which on these many weeks, this one included, are looked at. */
const since = (weeks: number) =>
  sql`(date_trunc('week', now() AT TIME ZONE 'UTC')::date - 7 * (${weeks}::int - 1))`;

/** The starts of all days or weeks since then, the newest first. */
const starts = (unit: Unit, weeks: number) => sql`SELECT start::date::text AS start FROM generate_series(
    ${since(weeks)}::timestamp, (now() AT TIME ZONE 'UTC')::date::timestamp, ${unit === "week" ? "7 days" : "1 day"}::interval
  ) AS start ORDER BY start DESC`;

const startOf = (unit: Unit) => (unit === "week" ? sql`date_trunc('week', day)::date::text` : sql`day::text`);

/** All steps in each day or week, the newest first. */
export async function readFunnel(db: Queryable, unit: Unit, weeks: number): Promise<Span[]> {
  const { rows: all } = await db.execute<{ start: string }>(starts(unit, weeks));
  const rows = await readCounts(
    db,
    startOf(unit),
    sql`SELECT day, name, value FROM daily_figures
      WHERE name IN ${STORED_STEPS} AND label = '' AND day >= ${since(weeks)}`,
  );
  return all.map(({ start }) => ({ start, counts: rows.get(start) ?? NO_STEPS }));
}

/** The steps of those who came by a friend's link to the waitlist. Views are not known to be theirs. */
export async function readReferred(
  db: Queryable,
  weeks: number,
): Promise<{ all: StepCounts; referred: StepCounts }> {
  const counts = await readCounts(
    db,
    sql`label`,
    sql`SELECT name, label, value FROM daily_figures
      WHERE name IN ${STORED_STEPS} AND label IN ('', 'referral') AND day >= ${since(weeks)}`,
  );
  return { all: counts.get("") ?? NO_STEPS, referred: counts.get("referral") ?? NO_STEPS };
}

/** What a promo code, or several together, brought. */
export interface OfCode {
  /** A code, the id of a batch, or all codes for one use. */
  kind: "code" | "batch" | "single";
  /** The code, or the batch's name. */
  name: string;
  /** Of the batch. */
  id: string | null;
  counts: StepCounts;
}

/** The steps of people who had redeemed a code, by code; those redeemed most often first. */
export async function readByCode(db: Queryable, weeks: number): Promise<OfCode[]> {
  const counts = await readCounts(
    db,
    sql`label`,
    sql`SELECT name, label, value FROM daily_figures
      WHERE name IN ('redeemed', 'payment_page', 'paid', 'canceled') AND label NOT IN ('', 'referral')
        AND day >= ${since(weeks)}`,
  );
  const ids = [...counts.keys()].filter((label) => label.startsWith("batch:")).map((label) => label.slice(6));
  const { rows: batches } = await db.execute<{ id: string; name: string }>(
    sql`SELECT id, name FROM promo_batches WHERE id IN (SELECT jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))`,
  );
  const names = new Map(batches.map(({ id, name }) => [id, name]));
  return [...counts]
    .map(([label, counts]): OfCode => {
      const [, kind, id = ""] = /^(code|batch|single):?(.*)$/s.exec(label) ?? [];
      if (kind === "batch") return { kind, name: names.get(id) ?? id, id, counts };
      return { kind: kind === "code" ? "code" : "single", name: id, id: null, counts };
    })
    .sort((one, other) => other.counts.redeemed - one.counts.redeemed || one.name.localeCompare(other.name));
}

export interface Views {
  name: string;
  views: number;
}

/** Views by page, the most viewed first. */
export function readViewsByPage(db: Queryable, weeks: number): Promise<Views[]> {
  return readViews(db, "page:", weeks);
}

/**
 * Views by referring host, those that led most here first.
 *
 * @returns `direct`: no host, or our own; `others`: hosts that are not counted by name
 */
export async function readViewsByHost(
  db: Queryable,
  weeks: number,
): Promise<{ hosts: Views[]; direct: number; others: number }> {
  const all = await readViews(db, "host:", weeks);
  const { rows } = await db.execute<{ views: number }>(sql`
    SELECT coalesce(sum(value), 0)::float8 AS views FROM daily_figures
    WHERE name = 'views' AND label = '' AND day >= ${since(weeks)}`);
  const isNamed = ({ name }: Views) => name !== NO_REFERRER && name !== OTHER_HOSTS;
  const hosts = all.filter(isNamed).slice(0, MOST_HOSTS);
  const direct = all.find(({ name }) => name === NO_REFERRER)?.views ?? 0;
  const named = hosts.reduce((sum, { views }) => sum + views, 0);
  return { hosts, direct, others: Math.max((rows[0]?.views ?? 0) - direct - named, 0) };
}

/** Hosts shown by name. */
const MOST_HOSTS = 100;

async function readViews(db: Queryable, labels: "page:" | "host:", weeks: number): Promise<Views[]> {
  const { rows } = await db.execute<{ name: string; views: number }>(sql`
    SELECT substr(label, 6) AS name, sum(value)::float8 AS views FROM daily_figures
    WHERE name = 'views' AND starts_with(label, ${labels}) AND day >= ${since(weeks)}
    GROUP BY 1 ORDER BY 2 DESC, 1`);
  return rows;
}

async function readCounts(db: Queryable, key: SQL, figures: SQL): Promise<Map<string, StepCounts>> {
  const { rows } = await db.execute<{ key: string; name: Step; value: number }>(sql`
    SELECT ${key} AS key, name, sum(value)::float8 AS value FROM (${figures}) AS figures GROUP BY 1, 2`);
  const counts = new Map<string, StepCounts>();
  for (const { key, name, value } of rows)
    counts.set(key, { ...(counts.get(key) ?? NO_STEPS), [name]: value });
  return counts;
}

/** A figure of each week, the oldest first. */
export interface Weekly {
  start: string;
  value: number;
}

/**
 * A figure by week: the sum of its days; or, of how things stood, that of the week's last day.
 *
 * @param label `null`: of all labels together
 */
export async function readWeekly(
  db: Queryable,
  { name, label = "", weeks, of }: { name: string; label?: string | null; weeks: number; of: "sum" | "last" },
): Promise<Weekly[]> {
  const isLabel = label === null ? sql`true` : sql`label = ${label}`;
  const { rows } = await db.execute<{ start: string; value: number }>(sql`
    WITH days AS (
      SELECT date_trunc('week', day)::date AS week, day, sum(value) AS value FROM daily_figures
      WHERE name = ${name} AND day >= ${since(weeks)} AND ${isLabel} GROUP BY day
    ), counted AS (
      SELECT week, ${of === "sum" ? sql`sum(value)` : sql`(array_agg(value ORDER BY day DESC))[1]`} AS value
      FROM days GROUP BY week
    )
    SELECT starts.start, coalesce(value, 0)::float8 AS value
    FROM (${starts("week", weeks)}) AS starts LEFT JOIN counted ON week = starts.start::date
    ORDER BY starts.start`);
  return rows;
}

/** How things stood when it was last counted; `null`: it never was. */
export interface Standing {
  countedAt: Date;
  figures: { name: string; label: string; value: number }[];
}

/** The figures of the last day that was counted. */
export async function readStanding(db: Queryable): Promise<Standing | null> {
  const { rows } = await db.execute<{ name: string; label: string; value: number; countedAt: string }>(sql`
    WITH last AS (SELECT day, updated_at FROM daily_figures WHERE name = 'counted' ORDER BY day DESC LIMIT 1)
    SELECT name, label, value::float8 AS value, last.updated_at::text AS "countedAt"
    FROM last JOIN daily_figures USING (day)
    WHERE name IN ('active', 'revenue', 'people', 'waiting', 'refunds_open', 'counted')`);
  const [first] = rows;
  if (!first) return null;
  return {
    countedAt: new Date(first.countedAt),
    figures: rows.map(({ name, label, value }) => ({ name, label, value })),
  };
}
