import { type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";

// Everything here reads sums only, and takes as long for a million accounts as for ten.

/** The steps of the funnel, in order. */
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

/** A count for each step that has one. */
export type StepCounts = Partial<Record<Step, number>>;

/** A day or the Monday of a week, as `2026-11-22`, in UTC. */
type Unit = "day" | "week";

/** The Monday from which on these many weeks, this one included, are looked at. */
const since = (weeks: number) =>
  sql`(date_trunc('week', now() AT TIME ZONE 'UTC')::date - 7 * (${weeks}::int - 1))`;

/** The starts of all days or weeks since then, the newest first. */
export async function readStarts(db: Queryable, unit: Unit, weeks: number): Promise<string[]> {
  const { rows } = await db.execute<{
    start: string;
  }>(sql`SELECT start::date::text AS start FROM generate_series(
    ${since(weeks)}::timestamp, (now() AT TIME ZONE 'UTC')::date::timestamp, ${`1 ${unit}`}::interval
  ) AS start ORDER BY start DESC`);
  return rows.map(({ start }) => start);
}

const KEYS = { day: sql`day::text`, week: sql`date_trunc('week', day)::date::text`, label: sql`label` };

/** Sums of the steps since then, by what `key` names. @param labels which labels are looked at */
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

/** A figure of each week, the oldest first. */
interface Weekly {
  label: string;
  value: number;
}

/**
 * Figures by week. @returns those with a name and a label: of each week the sum of its days or, of how things stood, that of its
 * last day
 */
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
  return (name: string, of: "sum" | "last", label = ""): Weekly[] => {
    const found = rows.filter((row) => row.name === name && row.label === label);
    return starts.map((start) => ({
      label: start,
      value: found.find(({ week }) => week === start)?.[of] ?? 0,
    }));
  };
}

/** People who paid for a plan before these weeks began; `null`: it was not counted then. */
export async function readPaidBefore(db: Queryable, weeks: number): Promise<number | null> {
  const { rows } = await db.execute<{ value: number | null }>(sql`
    SELECT sum(value) FILTER (WHERE name = 'active')::float8 AS value FROM daily_figures
    WHERE name IN ('active', 'revenue') AND (name = 'revenue' OR label LIKE '%:paid') AND day = (
      SELECT max(day) FROM daily_figures WHERE name = 'revenue' AND day < ${since(weeks)})`);
  return rows[0]?.value ?? null;
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
  return first ? { countedAt: new Date(first.countedAt), figures: rows } : null;
}
