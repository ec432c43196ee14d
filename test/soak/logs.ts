import { mkdtempDisposableSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AUTH_SECRET } from "../server.ts";
import { PASSWORD } from "../users.ts";
import { runBrowserTests } from "./firefox.ts";

/** Secrets and personal data that are recognizable by their form. */
const FORMS: [what: string, form: RegExp][] = [
  ["an address", /[\w.+-]+@[\w-]+(\.[\w-]+)+/],
  ["a key of Stripe", /\b[srp]k_(test|live)_\w+/],
  ["a webhook's secret", /whsec_\w+/],
  ["a signed token", /\beyJ[\w-]{10,}/],
  ["a password's hash", /\$scrypt/],
  ["a database's address", /postgres(ql)?:\/\//],
  ["a query string", /"(path|url|route)":"[^"]*\?/],
];
/** Shorter values are words of the page, numbers and days. */
const LEAST_LENGTH = 8;
/** Values from browsers that are no secrets: our paths, ids of ours and Stripe's, days, addresses of the test's servers. */
const HARMLESS = [
  /^\/[\w/-]*$/,
  /^(price|prod|sub|in|cus|cs|evt|pm|pi)_[\w-]+$/,
  /^\d{4}-\d\d-\d\d/,
  /^https?:\/\/(localhost|127\.0\.0\.1):\d+[\w/.-]*$/,
  /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  /^[a-z_ /-]+$/,
];

/**
 * Runs the browser tests with everything logged, and searches the logs for every value that a browser sent or received, and
 * for FORMS. `SPECS=promo` runs those files only; `SHOW=1` prints what was found.
 *
 * @param workers the number of browsers at a time
 * @returns what was found
 */
export async function logs(workers: number): Promise<string[]> {
  using folder = mkdtempDisposableSync(join(tmpdir(), "log-proof-"));
  const specs = process.env.SPECS?.split(" ") ?? [];
  const failed = runBrowserTests("e2e", workers, specs, { LOG_PROOF: folder.path });
  const lines = linesOf(folder.path, ".log");
  const kept = linesOf(folder.path, ".secrets").map((line): string => JSON.parse(line));
  const secrets = new Set([...kept.filter(isSecret), PASSWORD, AUTH_SECRET]);
  console.log(`${lines.length} lines of logs, ${secrets.size} values to look for`);
  if (lines.length < 20) return ["hardly anything was logged: this shows nothing"];
  return [...findLeaks(lines, secrets), ...failed];
}

function linesOf(folder: string, ending: string): string[] {
  const files = readdirSync(folder).filter((file) => file.endsWith(ending));
  return files.flatMap((file) => readFileSync(join(folder, file), "utf8").trim().split("\n"));
}

function isSecret(value: string): boolean {
  return value.length >= LEAST_LENGTH && !HARMLESS.some((form) => form.test(value));
}

/** Names the message of the line, which locates the leak, but not the value, because reports may be kept. */
function findLeaks(lines: readonly string[], secrets: ReadonlySet<string>): string[] {
  const spelt = [...secrets].map((secret) => JSON.stringify(secret).slice(1, -1));
  const leaks = lines.flatMap((line) => {
    const where = /"msg":"[^"]*"/.exec(line)?.[0] ?? line.slice(0, 60);
    const values = spelt.filter((secret) => line.includes(secret));
    return [
      ...FORMS.flatMap(([what, form]) => (form.test(line) ? what : [])),
      ...values.map((value) => (process.env.SHOW ? value : `a value of ${value.length} characters`)),
    ].map((what) => `${what} in ${where}`);
  });
  return [...Map.groupBy(leaks, (leak) => leak)].map(([leak, all]) => `${leak}, ${all.length} times`);
}
