import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { hashPassword } from "../../../app/auth/passwords.server.ts";
import { PUBLIC_PAGES } from "../../../app/marketing/pages.ts";
import { asClient } from "../../http.ts";
import { dataPath } from "../../router.ts";
import { createSignedInUsers, PASSWORD } from "../../users.ts";

/** Pause between two requests of a client: the machine also has to start processes. */
const PAUSE_MILLISECONDS = 25;
/** The number of users to redeem a code and to sign in, once each. */
const PEOPLE = 3_000;
const ACCOUNT_PAGES = ["/dashboard", "/account", "/subscription", "/account/sessions"];

/** A status, or a check of the answer. */
type Expected = number | ((response: Response) => boolean);

type Sent = { form?: Record<string, string>; headers?: Record<string, string> };

/** The results of one kind of request. */
export interface Count {
  asked: number;
  failures: string[];
  milliseconds: number[];
}

/** Starts concurrent clients, each with one request at a time, until stopped. */
export async function startLoad(origin: string, pool: Pool) {
  const counts = new Map<string, Count>();
  /** Every script, style and picture that a page has named, or that its router could request. */
  const assets = new Set<string>();
  const people = await createSignedInUsers(pool, PEOPLE);
  await pool.query("UPDATE account SET password = $1", [await hashPassword(PASSWORD)]);
  await pool.query(
    "INSERT INTO promo_codes (code, tier, duration_type, duration_months) VALUES ('UPGRADE', 'premium', 'months', 3)",
  );
  /** Of a signed-in user. */
  const cookie = people[0]?.cookie ?? "";
  let isStopping = false;
  let next = 0;
  let nextPerson = 0;

  /** @returns the body. An unexpected answer or a truncated body counts as a failure */
  async function ask(kind: string, expected: Expected, path: string, { form, headers }: Sent = {}) {
    const count = counts.get(kind) ?? { asked: 0, failures: [], milliseconds: [] };
    counts.set(kind, count);
    count.asked++;
    const since = performance.now();
    try {
      const response = await fetch(origin + path, {
        method: form ? "POST" : "GET",
        redirect: "manual",
        headers: { origin, ...asClient(), ...headers },
        body: form && new URLSearchParams(form),
      });
      const body = await response.text();
      const reason =
        response.headers.get("x-failed") ??
        (path.startsWith("/assets/") ? "" : /<h1[^>]*>(.*?)<\/h1>/.exec(body)?.[1]);
      const isExpected = typeof expected === "number" ? response.status === expected : expected(response);
      if (!isExpected) count.failures.push(`${path}: ${response.status} ${reason ?? ""}`);
      else if (isPage(response, body) && !body.includes("</html>")) count.failures.push(`${path}: cut`);
      return body;
    } catch (error) {
      count.failures.push(`${path}: ${error instanceof Error ? (error.cause ?? error) : error}`);
      return "";
    } finally {
      count.milliseconds.push(performance.now() - since);
    }
  }

  /** Loads a page with all its files, as a browser with an empty cache. */
  async function visit(kind: string, path: string, cookie?: string): Promise<void> {
    const page = await ask(kind, 200, path, cookie ? { headers: { cookie } } : {});
    const named = [...assetsIn(page)];
    const files = await Promise.all(named.map((name) => ask(`scripts and styles of ${kind}s`, 200, name)));
    // The manifest of a hydrated page names the files of all other pages.
    const ofOthers = files
      .filter((_, at) => named[at]?.includes("/manifest-"))
      .flatMap((text) => [...assetsIn(text)]);
    for (const name of [...named, ...ofOthers]) assets.add(name);
  }

  function someone() {
    const person = people[nextPerson++];
    if (!person) throw new Error(`more than ${PEOPLE} people were needed`);
    return person;
  }
  const redeem = (kind: string, path: string, headers = {}) =>
    ask(kind, 200, path, {
      form: { form: "promo", code: "UPGRADE" },
      headers: { cookie: someone().cookie, ...headers },
    });
  async function signIn(kind: string, expected: Expected, path: string, headers = {}) {
    const form = { email: `${someone().id}@example.com`, password: PASSWORD };
    await ask(kind, expected, path, { form, headers });
    await sleep(1_000);
  }

  const publicPage = () => visit("public page", PUBLIC_PAGES[next++ % PUBLIC_PAGES.length]?.path ?? "/");
  const accountPage = () => visit("account page", ACCOUNT_PAGES[next++ % ACCOUNT_PAGES.length] ?? "", cookie);
  const wrong = { email: "ada@example.com", password: "" };
  const code = "/promo/check.data?code=UPGRADE&_routes=promo%2Fcheck";
  const clients: (() => Promise<unknown>)[] = [
    ...[publicPage, publicPage, publicPage, accountPage, accountPage],
    () => ask("joining the waitlist", 303, "/waitlist", { form: { email: `${randomUUID()}@example.com` } }),
    () => redeem("redeeming a code", "/subscription"),
    () => signIn("signing in", 303, "/login"),
    // As the router of a hydrated page sends forms and fetches data.
    () => ask("looking at a code by the router", 200, code, { headers: { cookie: someone().cookie } }),
    () => redeem("redeeming a code by the router", dataPath("/subscription")),
    () => ask("opening a page by the router", 200, dataPath("/dashboard"), { headers: { cookie } }),
    () => ask("a wrong password by the router", 400, dataPath("/login"), { form: wrong }),
    () => signIn("signing in by the router", 202, dataPath("/login")),
    // As the script of earlier releases does, on a page opened before the upgrade.
    () => redeem("redeeming a code on an older page", "/subscription", ON_OLDER),
    () => signIn("signing in on an older page", leadsOn, "/login", ON_OLDER),
  ];
  const running = clients.map(async (work) => {
    while (!isStopping) {
      await work();
      await sleep(PAUSE_MILLISECONDS);
    }
  });
  async function stop(): Promise<void> {
    isStopping = true;
    await Promise.all(running);
  }
  return { counts, assets, cookie, stop, [Symbol.asyncDispose]: stop };
}

const ON_OLDER = { "X-Sent-By-Script": "1" };

/** Whether such a script could continue: by an answer of its own version, or the redirect of another. */
function leadsOn({ status, headers }: Response): boolean {
  return status === 204 ? headers.get("X-Leads-To") === "/dashboard" : status === 303;
}

/** The scripts, styles and pictures named by a page, or by a list. */
export const assetsIn = (text: string) =>
  new Set([...text.matchAll(/\/assets\/[\w.-]+\.(?:js|css|svg|png)/g)].map(([name]) => name));

/** Whether the answer is a whole page, not a part fetched by a script. */
const isPage = ({ headers, status }: Response, body: string) =>
  status === 200 && headers.get("content-type")?.startsWith("text/html") && body.startsWith("<!");
