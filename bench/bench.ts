import { type Figure, report } from "./figures.ts";
import { describeMoment, isWriting, keep } from "./keep.ts";
import { formatRows, type Outcome, rowsOf } from "./table.ts";

type Measurement = { run(): Promise<boolean | Figure[]> };

/**
 * `npm run bench -- pages` runs one benchmark; `npm run bench` runs one after the other and ends with all figures in one
 * table. `--write` keeps them in docs/measurements.md and README.md.
 */
const MEASUREMENTS: Record<string, () => Promise<Measurement>> = {
  pages: () => import("./pages.ts"),
  rendered: () => import("./rendered.ts"),
  lighthouse: () => import("./lighthouse.ts"),
  "first-visit": () => import("./first-visit.ts"),
  malformed: () => import("./malformed.ts"),
  "answer-times": () => import("./answer-times.ts"),
  "long-texts": () => import("./long-texts.ts"),
  console: () => import("./console.ts"),
  "event-loop": () => import("./event-loop.ts"),
  growth: () => import("./growth.ts"),
  statements: () => import("./statements.ts"),
  webhooks: () => import("./webhooks.ts"),
  redeem: () => import("./redeem.ts"),
  waitlist: () => import("./waitlist.ts"),
  cost: () => import("./cost.ts"),
  demands: () => import("./demands.ts"),
  // After what it calculates with.
  scale: () => import("./scale.ts"),
};

// Benchmarks find their own arguments where they are without it.
process.argv = process.argv.filter((argument) => argument !== "--write");
const name = process.argv[2];
if (name !== undefined && !MEASUREMENTS[name]) {
  console.error(
    `There is no such measurement. Say one of ${Object.keys(MEASUREMENTS).join(" | ")}, or none for all`,
  );
  process.exit(2);
}
const outcomes: Outcome[] = [];
let areAllWithin = true;
for (const [benchmark, load] of Object.entries(MEASUREMENTS)) {
  if (name !== undefined && name !== benchmark) continue;
  console.log(`\n# ${benchmark}`);
  const outcome = await runOne(benchmark, load);
  outcomes.push(outcome);
  if (!report(outcome.figures) || outcome.failure !== undefined) areAllWithin = false;
  // After each: a run of all takes long, and what it has is worth keeping if it is ended.
  if (isWriting) keep(outcomes, Object.keys(MEASUREMENTS));
}
if (name === undefined) console.log(`\n${formatRows(outcomes.flatMap(rowsOf))}`);
process.exitCode = areAllWithin ? 0 : 1;

/** One that fails does not keep the others from being run. */
async function runOne(benchmark: string, load: () => Promise<Measurement>): Promise<Outcome> {
  const measured = await describeMoment();
  try {
    const { run } = await load();
    const figures = await run();
    return { benchmark, figures: typeof figures === "boolean" ? [verdictOf(figures)] : figures, measured };
  } catch (error) {
    console.error(error);
    const missing = missingProgramOf(error);
    const failure = missing ? `${missing} is not installed` : reasonOf(error);
    return { benchmark, figures: [], failure, cannotRunHere: missing !== undefined, measured };
  }
}

/** Of a benchmark that only says whether all is well. */
const verdictOf = (isWell: boolean): Figure => ({
  name: "everything it looks at is as it should be",
  value: isWell ? 1 : 0,
  unit: "",
  limit: { least: 1 },
});

function missingProgramOf(error: unknown): string | undefined {
  return error instanceof Error ? /^spawn (\S+) ENOENT$/.exec(error.message)?.[1] : undefined;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? (error.message.split("\n")[0] ?? "").slice(0, 100) : String(error);
}
