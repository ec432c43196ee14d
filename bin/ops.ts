/**
 * What the operator's console does, for scripts.
 *
 *   npm run ops -- SUBJECT COMMAND [ARGUMENTS] [--json]
 */
import { FAILED, type OpsCommands, OpsError, USAGE_ERROR } from "./ops/command.ts";

/** Each is loaded when it is asked for. */
const SUBJECTS: Record<string, () => Promise<{ commands: OpsCommands }>> = {
  person: () => import("./ops/person.ts"),
  catalogue: () => import("./ops/catalogue.ts"),
  features: () => import("./ops/features.ts"),
  jobs: () => import("./ops/jobs.ts"),
  promo: () => import("./ops/promo.ts"),
  version: () => import("./ops/version.ts"),
  waitlist: () => import("./ops/waitlist.ts"),
};

const [subject = "", verb = "", ...args] = process.argv.slice(2).filter((arg) => arg !== "--json");
const isJson = process.argv.includes("--json");

process.exitCode = await run();

async function run(): Promise<number> {
  const { commands } = (await SUBJECTS[subject]?.()) ?? {};
  const command = commands?.[verb];
  if (!commands || !command) return printUsage(commands);
  try {
    const answer = await command.run(args);
    if (isJson) console.log(JSON.stringify(answer.data));
    else if (answer.text !== "") console.log(answer.text);
    return answer.exitCode ?? 0;
  } catch (error) {
    if (!(error instanceof OpsError)) throw error;
    console.error(error.message);
    if (error.exitCode === USAGE_ERROR) console.error(`\nUsage: npm run ops -- ${subject} ${command.usage}`);
    return error.exitCode;
  }
}

function printUsage(commands: OpsCommands | undefined): number {
  const lines = commands
    ? Object.values(commands).map(({ usage, summary }) => `  ${subject} ${usage}\n      ${summary}`)
    : Object.keys(SUBJECTS).map((name) => `  ${name}`);
  console.error(
    `Usage: npm run ops -- ${commands ? "" : "SUBJECT COMMAND, with one of "}\n${lines.join("\n")}\n\n` +
      `--json prints the answer as JSON. Exit codes: 0 done, ${FAILED} not done and why, ${USAGE_ERROR} not understood.`,
  );
  return USAGE_ERROR;
}
