import { inArray, sql } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import {
  readStarts,
  readSteps,
  readWeekly,
  STEPS,
  type Step,
  type StepCounts,
} from "../../figures/read.server.ts";
import { NO_REFERRER, OTHER_HOSTS } from "../../figures/visitors.ts";
import { promoBatches } from "../../promo/schema.ts";
import { besideBefore, type Period, type Point } from "../chart/points.ts";
import { type FunnelQuery, TRIED, VISITED } from "./query.ts";

export interface FunnelTable {
  header: [string, ...string[]];
  rows: { name: string; href?: string; of?: string; counts: number[] }[];
}

const STEP_NAMES: Record<Step, string> = {
  views: "Views",
  tried: TRIED,
  joined: "Joined the waitlist",
  confirmed: "Confirmed it",
  signed_up: "Signed up",
  confirmed_account: "Confirmed their account",
  payment_page: "Payment pages opened",
  paid: "Paid",
  stayed: "Stayed a month",
  redeemed: "Redeemed a code",
  canceled: "Canceled",
};

const CODE_STEPS: Step[] = ["redeemed", "payment_page", "paid", "stayed", "canceled"];

const FUNNEL: [name: string, steps: Step[]][] = [
  [VISITED, ["views"]],
  [TRIED, ["tried"]],
  ["Joined or signed up", ["joined", "signed_up"]],
  ["Confirmed their address", ["confirmed", "confirmed_account"]],
  ["Chose a plan", ["payment_page"]],
  ["Paid", ["paid"]],
  ["Stayed a month", ["stayed"]],
];
const CODE_FUNNEL: typeof FUNNEL = [["Redeemed it", ["redeemed"]], ...FUNNEL.slice(4)];
/** Visitors are not linked to an account. */
const VISITOR_STEPS: readonly Step[] = ["views", "tried"];
const REFERRAL_STEPS: Step[] = STEPS.filter((step) => !VISITOR_STEPS.includes(step));
const MAX_HOSTS = 100;

const namesOf = (steps: readonly Step[]) => steps.map((step) => STEP_NAMES[step]);
const inOrder = (steps: readonly Step[], counts: StepCounts = {}) => steps.map((step) => counts[step] ?? 0);

type Query = Pick<FunnelQuery, "by" | "of" | "weeks">;

/** Reads only daily sums. */
export async function readTable(db: Queryable, { by, of, weeks }: Query): Promise<FunnelTable> {
  if (by === "steps") return readFunnelOf(db, of, weeks);
  if (by === "page") return { header: ["Page", "Views"], rows: await readViews(db, weeks, "page:") };
  if (by === "host") return readHosts(db, weeks);
  if (by === "code") return readCodes(db, weeks);
  if (by === "referral") return readReferrals(db, weeks);
  return readFunnel(db, by, weeks);
}

async function readFunnelOf(db: Queryable, of: string, weeks: number): Promise<FunnelTable> {
  const label = sql`label = ${of}`;
  const [both, now] = await Promise.all([
    readSteps(db, 2 * weeks, "label", label),
    readSteps(db, weeks, "label", label),
  ]);
  const count = (counts: Map<string, StepCounts>, steps: readonly Step[]) =>
    inOrder(steps, counts.get(of)).reduce((sum, value) => sum + value, 0);
  const rows = (/^(code:|batch:|single$)/.test(of) ? CODE_FUNNEL : FUNNEL)
    .filter(([, steps]) => of !== "referral" || !steps.some((step) => VISITOR_STEPS.includes(step)))
    .map(([name, steps]) => {
      const current = count(now, steps);
      return { name, counts: [current, count(both, steps) - current] };
    });
  return { header: ["Step", `Last ${weeks} weeks`, `${weeks} weeks before`], rows };
}

async function readFunnel(db: Queryable, unit: "day" | "week", weeks: number): Promise<FunnelTable> {
  const counts = await readSteps(db, weeks, unit, sql`label = ''`);
  const starts = await readStarts(db, unit, weeks);
  return {
    header: [unit === "week" ? "Week of" : "Day", ...namesOf(STEPS)],
    rows: starts.map((start) => ({ name: start, counts: inOrder(STEPS, counts.get(start)) })),
  };
}

/** By views. Last: hosts that are not counted by name, and views without a host or from our own. */
async function readHosts(db: Queryable, weeks: number): Promise<FunnelTable> {
  const all = (await readSteps(db, weeks, "label", sql`label = ''`)).get("")?.views ?? 0;
  const found = await readViews(db, weeks, "host:");
  const hosts = found.filter(({ name }) => name !== NO_REFERRER && name !== OTHER_HOSTS).slice(0, MAX_HOSTS);
  const direct = found.find(({ name }) => name === NO_REFERRER)?.counts[0] ?? 0;
  const named = hosts.reduce((sum, { counts: [views = 0] }) => sum + views, 0);
  const rows = [
    ...hosts,
    { name: "Other sites", counts: [Math.max(all - direct - named, 0)] },
    { name: "Directly, or from our own pages", counts: [direct] },
  ];
  return { header: ["Came from", "Views"], rows: rows.filter(({ counts: [views = 0] }) => views > 0) };
}

async function readViews(db: Queryable, weeks: number, kind: "page:" | "host:") {
  const counts = await readSteps(db, weeks, "label", sql`starts_with(label, ${kind})`);
  return [...counts]
    .map(([label, { views = 0 }]) => ({ name: label.slice(kind.length), counts: [views] }))
    .sort((one, other) => (other.counts[0] ?? 0) - (one.counts[0] ?? 0) || compare(one.name, other.name));
}

async function readCodes(db: Queryable, weeks: number): Promise<FunnelTable> {
  const counts = await readSteps(db, weeks, "label", sql`label ~ '^(code:|batch:|single$)'`);
  const ids = [...counts.keys()].flatMap((label) => (label.startsWith("batch:") ? label.slice(6) : []));
  const batches = await db.select().from(promoBatches).where(inArray(promoBatches.id, ids));
  const rows = [...counts].map(([label, counts]): FunnelTable["rows"][number] => {
    const [, kind, id = ""] = /^(code|batch|single):?(.*)$/s.exec(label) ?? [];
    const row = { counts: inOrder(CODE_STEPS, counts), of: label };
    if (kind === "single") return { name: "Codes for one use", ...row };
    if (kind === "code") return { name: id, href: `/admin/codes/${encodeURIComponent(id)}`, ...row };
    const name = batches.find((batch) => batch.id === id)?.name ?? id;
    return { name: `Batch: ${name}`, href: `/admin/batches/${id}`, ...row };
  });
  rows.sort((one, other) => (other.counts[0] ?? 0) - (one.counts[0] ?? 0) || compare(one.name, other.name));
  return { header: ["Promo code", ...namesOf(CODE_STEPS)], rows };
}

const compare = (one: string, other: string) => one.localeCompare(other);

async function readReferrals(db: Queryable, weeks: number): Promise<FunnelTable> {
  const counts = await readSteps(db, weeks, "label", sql`label IN ('', 'referral')`);
  const all = inOrder(REFERRAL_STEPS, counts.get(""));
  const referred = inOrder(REFERRAL_STEPS, counts.get("referral"));
  return {
    header: ["Came to the waitlist", ...namesOf(REFERRAL_STEPS)],
    rows: [
      { name: "By a friend’s link", of: "referral", counts: referred },
      {
        name: "By themselves, or never",
        counts: all.map((count, at) => Math.max(count - (referred[at] ?? 0), 0)),
      },
      { name: "All", counts: all },
    ],
  };
}

/** Figures by week, oldest first. @returns the sum of a week's days, or the state of its last day */
export async function readPoints(
  db: Queryable,
  { weeks, isCompared }: Period,
  names: string[],
  labels: string[] = [""],
): Promise<(name: string, of?: "sum" | "last", label?: string) => Point[]> {
  const weekly = await readWeekly(db, isCompared ? 2 * weeks : weeks, names, labels);
  return (name, of = "sum", label = "") => {
    const figures = weekly(name, of, label);
    return isCompared ? besideBefore(figures) : figures;
  };
}
