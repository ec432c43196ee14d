import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AUTH_SECRET } from "../server.ts";
import { PASSWORD } from "../users.ts";

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
  const folder = mkdtempSync(join(tmpdir(), "log-proof-"));
  try {
    const code = await runBrowserTests(folder, workers);
    const secrets = readSecrets(folder);
    const texts = readdirSync(folder).filter((file) => file.endsWith(".log"));
    const lines = texts.flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"));
    console.log(`${texts.length} logs of ${lines.length} lines, ${secrets.length} values to look for`);
    if (lines.length < 20) return ["hardly anything was logged: this shows nothing"];
    const leaks = findLeaks(lines, secrets);
    return code === 0 ? leaks : [...leaks, `the browser tests ended with ${code}`];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runBrowserTests(folder: string, workers: number): Promise<number | null> {
  const specs = process.env.SPECS?.split(" ") ?? [];
  const args = [
    "node_modules/.bin/playwright",
    "test",
    "--project",
    "e2e",
    "--workers",
    String(workers),
    ...specs,
  ];
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "inherit", "inherit"],
    env: { ...process.env, LOG_PROOF: folder },
  });
  const [code] = await once(child, "exit");
  return code;
}

function readSecrets(folder: string): string[] {
  const kept = readdirSync(folder)
    .filter((file) => file.endsWith(".secrets"))
    .flatMap((file) => readFileSync(join(folder, file), "utf8").trim().split("\n"))
    .map((line): string => JSON.parse(line));
  const isSecret = (value: string) =>
    value.length >= LEAST_LENGTH && !HARMLESS.some((form) => form.test(value));
  return [...new Set([...kept.filter(isSecret), PASSWORD, AUTH_SECRET])];
}

/** Names the message of the line, which locates the leak, but not the value, because reports may be kept. */
function findLeaks(lines: readonly string[], secrets: readonly string[]): string[] {
  const leaks = new Map<string, number>();
  const note = (what: string, line: string) => {
    const where = /"msg":"[^"]*"/.exec(line)?.[0] ?? line.slice(0, 60);
    leaks.set(`${what} in ${where}`, (leaks.get(`${what} in ${where}`) ?? 0) + 1);
  };
  const all = lines.join("\n");
  for (const [what, form] of FORMS) for (const line of lines) if (form.test(line)) note(what, line);
  for (const secret of secrets) {
    const spelt = JSON.stringify(secret).slice(1, -1);
    for (let at = all.indexOf(spelt); at !== -1; at = all.indexOf(spelt, at + 1))
      note(
        process.env.SHOW ? secret : `a value of ${secret.length} characters`,
        all.slice(all.lastIndexOf("\n", at) + 1, all.indexOf("\n", at)),
      );
  }
  return [...leaks].map(([leak, count]) => `${leak}, ${count} times`);
}
