import { type Figure, report } from "./figures.ts";

type Measurement = { run(): Promise<boolean | Figure[]> };

/** `npm run bench -- pages`: runs one benchmark; `npm run bench`: one after the other. */
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
};

const name = process.argv[2];
if (name !== undefined && !MEASUREMENTS[name]) {
  console.error(
    `There is no such measurement. Say one of ${Object.keys(MEASUREMENTS).join(" | ")}, or none for all`,
  );
  process.exit(2);
}
let areAllWithin = true;
for (const [measurement, load] of Object.entries(MEASUREMENTS)) {
  if (name !== undefined && name !== measurement) continue;
  console.log(`\n# ${measurement}`);
  const { run } = await load();
  const outcome = await run();
  if (!(typeof outcome === "boolean" ? outcome : report(outcome))) areAllWithin = false;
}
process.exitCode = areAllWithin ? 0 : 1;
