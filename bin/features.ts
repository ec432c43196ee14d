/**
 * Lists the features and says which are open, as `npm run ops -- features` does. Pages follow within a second, in every
 * process, and those who have a plan with a feature are mailed once it is open.
 *
 *   npm run features -- list
 *   npm run features -- open csv_processing --at 2027-03-01
 */
import { OpsError } from "./ops/command.ts";
import { commands, FEATURES } from "./ops/features.ts";

const USAGE = `Usage:
  npm run features -- list
  npm run features -- open ${FEATURES.join("|")} [--at YYYY-MM-DD|YYYY-MM-DDTHH:MM:SSZ]
  npm run features -- close ${FEATURES.join("|")}

Without --at a feature opens now; a day begins at midnight UTC. With a day to come, pages say that it is being built
until then. Once the first feature of a plan is open, its payments can be refunded for 14 days only.`;

const [verb = "", ...args] = process.argv.slice(2);
try {
  const command = commands[verb];
  if (!command) throw new OpsError("there is no such command");
  const { text, exitCode = 0 } = await command.run(args);
  if (text) console.log(text);
  // A database that cannot be opened has said so.
  process.exitCode ||= exitCode;
} catch (error) {
  if (!(error instanceof OpsError)) throw error;
  console.error(`${error.message}\n\n${USAGE}`);
  process.exitCode = 1;
}
