/** Checks the invariants of the data: `npm run invariants`. Prints the offending rows and exits with 1 when one is violated. */
import { findViolations, readInvariants } from "../app/db/invariants.server.ts";
import { withDatabase } from "./open.ts";

await withDatabase(async ({ pool }) => {
  const violations = await findViolations(pool);
  for (const { rule, rows } of violations) {
    console.error(`does not hold: ${rule}`);
    console.table(rows);
  }
  console.log(`${readInvariants().length - violations.length} of ${readInvariants().length} invariants hold`);
  if (violations.length > 0) process.exitCode = 1;
});
