import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";

// Everything here reads sums only, and takes as long for a million accounts as for ten.

export const STEPS = [
  "views",
  "tried",
  "joined",
  "confirmed",
  "signed_up",
  "confirmed_account",
  "payment_page",
  "paid",
  "stayed",
  "redeemed",
  "canceled",
] as const;
export type Step = (typeof STEPS)[number];

export type StepCounts = Partial<Record<Step, number>>;

/** In UTC; a week by its Monday, as `2026-11-22`. */
type Unit = "day" | "week";

const since = (weeks: number) =>
  sql`(date_trunc('week', now() AT TIME ZONE 'UTC')::date - 7 * (${weeks}::int - 1))`;

/** Newest first. */
export async function readStarts(db: Queryable, unit: Unit, weeks: number): Promise<string[]> {
  const { rows } = await db.execute<{
    start: string;
  }>(sql`SELECT start::date::text AS start FROM generate_series(
    ${since(weeks)}::timestamp, (now() AT TIME ZONE 'UTC')::date::timestamp, ${`1 ${unit}`}::interval
  ) AS start ORDER BY start DESC`);
  return rows.map(({ start }) => start);
}

const KEYS = { day: sql`day::text`, week: sql`date_trunc('week', day)::date::text`, label: sql`label` };

/** @param labels which are read, named by `key` */
export async function readSteps(
  db: Queryable,
  weeks: number,
  key: keyof typeof KEYS,
  labels: SQL,
): Promise<Map<string, StepCounts>> {
  const { rows } = await db.execute<{ key: string; name: Step; value: number }>(sql`
    SELECT ${KEYS[key]} AS key, name, sum(value)::float8 AS value FROM daily_figures
    WHERE name = ANY (${sql.param(STEPS)}::text[]) AND ${labels} AND day >= ${since(weeks)} GROUP BY 1, 2`);
  const counts = new Map<string, StepCounts>();
  for (const { key, name, value } of rows) counts.set(key, { ...counts.get(key), [name]: value });
  return counts;
}

/** By week, oldest first: the sum of its days or, for a state, the value of its last day. */
export async function readWeekly(db: Queryable, weeks: number, names: string[], labels: string[]) {
  const { rows } = await db.execute<{
    name: string;
    label: string;
    week: string;
    sum: number;
    last: number;
  }>(sql`
    SELECT name, label, date_trunc('week', day)::date::text AS week, sum(value)::float8 AS sum,
      (array_agg(value ORDER BY day DESC))[1]::float8 AS last
    FROM daily_figures
    WHERE name = ANY (${sql.param(names)}::text[]) AND label = ANY (${sql.param(labels)}::text[]) AND day >= ${since(weeks)}
    GROUP BY 1, 2, 3`);
  const starts = (await readStarts(db, "week", weeks)).toReversed();
  return (name: string, of: "sum" | "last", label = "") => {
    const found = rows.filter((row) => row.name === name && row.label === label);
    return starts.map((start) => ({
      label: start,
      value: found.find(({ week }) => week === start)?.[of] ?? 0,
    }));
  };
}

/** Before these weeks; `null`: it was not counted then. */
export async function readPaidBefore(db: Queryable, weeks: number): Promise<number | null> {
  const { rows } = await db.execute<{ value: number | null }>(sql`
    SELECT sum(value) FILTER (WHERE name = 'active')::float8 AS value FROM daily_figures
    WHERE name IN ('active', 'revenue') AND (name = 'revenue' OR label LIKE '%:paid') AND day = (
      SELECT max(day) FROM daily_figures WHERE name = 'revenue' AND day < ${since(weeks)})`);
  return rows[0]?.value ?? null;
}

export interface Standing {
  countedAt: Date;
  figures: { name: string; label: string; value: number }[];
}

/** Of the last day that was counted. */
export async function readStanding(db: Queryable): Promise<Standing | null> {
  const { rows } = await db.execute<{ name: string; label: string; value: number; countedAt: string }>(sql`
    WITH last AS (SELECT day, updated_at FROM daily_figures WHERE name = 'counted' ORDER BY day DESC LIMIT 1)
    SELECT name, label, value::float8 AS value, last.updated_at::text AS "countedAt"
    FROM last JOIN daily_figures USING (day)
    WHERE name IN ('active', 'revenue', 'people', 'waiting', 'refunds_open', 'counted')`);
  const [first] = rows;
  return first ? { countedAt: new Date(first.countedAt), figures: rows } : null;
}
