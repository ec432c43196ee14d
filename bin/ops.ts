/** The operator's commands: `npm run ops -- SUBJECT COMMAND [ARGUMENTS] [--json]`. */
import { FAILED, type OpsCommands, OpsError, USAGE_ERROR } from "./ops/command.ts";

/** Each is loaded when it is asked for. */
const SUBJECTS: Record<string, () => Promise<OpsCommands>> = {
  person: async () => (await import("./ops/person.ts")).commands,
  promo: async () => (await import("./ops/promo.ts")).commands,
  waitlist: async () => (await import("./ops/waitlist.ts")).commands,
  features: async () => (await import("./ops/features.ts")).commands,
  catalogue: async () => (await import("./ops/catalogue.ts")).commands,
  reconcile: async () => (await import("./ops/reconcile.ts")).commands,
  jobs: async () => (await import("./ops/jobs.ts")).commands,
  invariants: async () => (await import("./ops/data.ts")).invariants,
  secrets: async () => (await import("./ops/secrets.ts")).commands,
  limits: async () => (await import("./ops/data.ts")).limits,
};

const [subject = "", ...words] = process.argv.slice(2).filter((arg) => arg !== "--json");
const isJson = process.argv.includes("--json");

process.exitCode = await run();

async function run(): Promise<number> {
  if (/^(--)?help$/.test(subject)) {
    console.log(await usageOf(Object.keys(SUBJECTS)));
    return 0;
  }
  const commands = Object.hasOwn(SUBJECTS, subject) ? await SUBJECTS[subject]?.() : undefined;
  const [verb = ""] = words;
  const command = commands?.[""] ?? (commands && Object.hasOwn(commands, verb) ? commands[verb] : undefined);
  if (!command) {
    console.error(await usageOf(commands ? [subject] : Object.keys(SUBJECTS)));
    return USAGE_ERROR;
  }
  try {
    const answer = await command.run(commands?.[""] ? words : words.slice(1));
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

async function usageOf(subjects: readonly string[]): Promise<string> {
  const all = await Promise.all(
    subjects.map(async (name) =>
      Object.values((await SUBJECTS[name]?.()) ?? {}).map(
        ({ usage, summary }) => `  ${`${name} ${usage}`.trim()}\n      ${summary}`,
      ),
    ),
  );
  return [
    "Usage: npm run ops -- COMMAND [--json], with one of",
    ...all.flat(),
    `\n--json prints the answer as JSON. Exit codes: 0 done, ${FAILED} not done and why, ${USAGE_ERROR} not understood.`,
    "By themselves: npm run doctor, npm run migrate, npm run backup, npm run restore.",
  ].join("\n");
}
