/** `npm run bench -- pages`: runs one benchmark. */
const MEASUREMENTS: Record<string, () => Promise<{ run(): Promise<boolean> }>> = {
  pages: () => import("./pages.ts"),
  lighthouse: () => import("./lighthouse.ts"),
  "first-visit": () => import("./first-visit.ts"),
  malformed: () => import("./malformed.ts"),
  "answer-times": () => import("./answer-times.ts"),
  "long-texts": () => import("./long-texts.ts"),
  console: () => import("./console.ts"),
  "event-loop": () => import("./event-loop.ts"),
};

const name = process.argv[2] ?? "";
const load = MEASUREMENTS[name];
if (!load) {
  console.error(`Say what to measure: npm run bench -- ${Object.keys(MEASUREMENTS).join(" | ")}`);
  process.exit(2);
}
const { run } = await load();
process.exitCode = (await run()) ? 0 : 1;
