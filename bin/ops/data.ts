import { findViolations, readInvariants } from "../../app/db/invariants.server.ts";
import { answerFrom } from "../open.ts";
import { FAILED, type OpsCommands, OpsError, readArguments } from "./command.ts";

/** `npm run ops -- invariants` */
export const invariants: OpsCommands = {
  "": {
    usage: "",
    summary: "checks that the data is sound, and prints the rows that are not",
    run(args) {
      readArguments(args, {});
      return answerFrom(async ({ pool }) => {
        const violations = await findViolations(pool);
        const total = readInvariants().length;
        const lines = violations.flatMap(({ rule, rows }) => [
          `does not hold: ${rule}`,
          ...rows.map((row) => `  ${JSON.stringify(row)}`),
        ]);
        return {
          text: [...lines, `${total - violations.length} of ${total} invariants hold`].join("\n"),
          data: { total, violations },
          exitCode: violations.length > 0 ? FAILED : 0,
        };
      });
    },
  },
};

/** `npm run ops -- limits`, for trying things out on a developer's machine. */
export const limits: OpsCommands = {
  clear: {
    usage: "clear",
    summary: "forgets who tried what, in the sandbox's database",
    run(args) {
      readArguments(args, {});
      return answerFrom(async ({ pool }, { isProduction }) => {
        const { rowCount } = await pool.query("SELECT FROM database_purpose WHERE purpose = 'sandbox'");
        // Elsewhere, rate limits protect the passwords of real users.
        if (isProduction || rowCount !== 1)
          throw new OpsError(
            "limits are cleared in the sandbox's database only: in any other they guard real accounts",
          );
        const { rowCount: cleared } = await pool.query("DELETE FROM rate_limits");
        return { text: `${cleared} limits cleared`, data: { cleared } };
      });
    },
  },
};
