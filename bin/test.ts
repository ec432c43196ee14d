/** `npm test`: runs every part, also after one has failed, so that one run shows all that is wrong; ends with 1 when any did. */
import { spawnSync } from "node:child_process";
import { noteTested } from "./release/tested.ts";

const PARTS: [name: string, command: string, ...args: string[]][] = [
  ["checks", "npm", "run", "check"],
  ["unit and server tests", "vitest", "run"],
  ["browser tests", "playwright", "test", "--project", "e2e"],
];

const failed = PARTS.filter(
  ([, command, ...args]) => spawnSync(command, args, { stdio: "inherit" }).status !== 0,
);
for (const part of PARTS) console.log(`${failed.includes(part) ? "FAILED" : "passed"}  ${part[0]}`);
if (failed.length > 0) process.exit(1);
// With arguments, as in `npm test -- promo`, not all tests have run.
if (process.argv.length === 2) {
  try {
    noteTested(process.cwd());
  } catch {
    // Sources without git, which cannot be released from.
  }
}
