import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { hashPassword } from "../../../app/auth/password-hash.server.ts";
import { PUBLIC_PAGES } from "../../../app/marketing/pages.ts";
import { LEADS_TO, SENT_BY_SCRIPT } from "../../../app/ui/sent-by-script.ts";
import { asClient } from "../../http.ts";
import { createSignedInUsers, PASSWORD } from "../../users.ts";

/** Between two requests of one client: the machine has other things to do, starting processes above all. */
const PAUSE_MILLISECONDS = 25;
/** How many people there are to redeem a code and to sign in; each does so once. */
const PEOPLE = 3_000;
const ACCOUNT_PAGES = ["/dashboard", "/account", "/subscription", "/account/sessions"];

/** A status, or what says whether an answer is the right one. */
type Expected = number | ((response: Response) => boolean);

/** What became of one kind of request. */
export interface Count {
  asked: number;
  failures: string[];
  milliseconds: number[];
}

export interface Load {
  counts: Map<string, Count>;
  /** Every script, style and picture that a page has named. */
  assets: Set<string>;
  /** Of somebody who is signed in. */
  cookie: string;
  stop(): Promise<void>;
}

/** People who do everything at once, each by itself and one thing after another, until they are told to stop. */
export async function startLoad(origin: string, pool: Pool): Promise<Load> {
  const counts = new Map<string, Count>();
  const assets = new Set<string>();
  const people = await createSignedInUsers(pool, PEOPLE);
  await pool.query("UPDATE account SET password = $1", [await hashPassword(PASSWORD)]);
  await pool.query(
    "INSERT INTO promo_codes (code, tier, duration_type, duration_months) VALUES ('UPGRADE', 'premium', 'months', 3)",
  );
  const [ada] = people;
  let isStopping = false;
  let next = 0;
  let nextPerson = 0;

  /** @returns the body. What is not as expected, and a body that is cut, are failures */
  async function ask(
    kind: string,
    expected: Expected,
    path: string,
    init: RequestInit = {},
  ): Promise<string> {
    const count = counts.get(kind) ?? { asked: 0, failures: [], milliseconds: [] };
    counts.set(kind, count);
    count.asked++;
    const since = performance.now();
    try {
      const response = await fetch(origin + path, {
        redirect: "manual",
        ...init,
        headers: { ...asClient(), ...init.headers },
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

  /** A page with everything it needs, as a browser that has kept nothing. */
  async function visit(kind: string, path: string, cookie?: string): Promise<void> {
    const page = await ask(kind, 200, path, cookie ? { headers: { cookie } } : {});
    const named = new Set([...page.matchAll(/\/assets\/[\w.-]+\.(?:js|css|svg|png)/g)].map(([name]) => name));
    await Promise.all([...named].map((name) => ask(`scripts and styles of ${kind}s`, 200, name)));
    for (const name of named) assets.add(name);
  }

  const send = (
    kind: string,
    expected: Expected,
    path: string,
    fields: Record<string, string> | null,
    headers: Record<string, string> = {},
  ) =>
    ask(kind, expected, path, {
      method: fields ? "POST" : "GET",
      headers: { origin, ...headers },
      body: fields && new URLSearchParams(fields),
    });
  function someone() {
    const person = people[nextPerson++];
    if (!person) throw new Error(`more than ${PEOPLE} people were needed`);
    return person;
  }

  const clients: (() => Promise<unknown>)[] = [
    ...PUBLIC_PAGES.slice(0, 3).map(
      () => () => visit("public page", PUBLIC_PAGES[next++ % PUBLIC_PAGES.length]?.path ?? "/"),
    ),
    ...[0, 1].map(
      () => () => visit("account page", ACCOUNT_PAGES[next++ % ACCOUNT_PAGES.length] ?? "", ada?.cookie),
    ),
    () => send("joining the waitlist", 303, "/waitlist", { email: `${randomUUID()}@example.com` }),
    () =>
      send(
        "redeeming a code",
        200,
        "/subscription",
        { form: "promo", code: "UPGRADE" },
        { cookie: someone().cookie },
      ),
    () => send("signing in", 303, "/login", signInOf(someone())).then(() => sleep(1_000)),
    // As the account's script sends forms, and as a page that was opened before there was one does.
    () =>
      send("looking at a code by script", 200, "/promo/check?code=UPGRADE", null, byScript(someone().cookie)),
    () => {
      const fields = { form: "promo", code: "UPGRADE" };
      return send("redeeming a code by script", 200, "/subscription", fields, byScript(someone().cookie));
    },
    () =>
      send(
        "a wrong password by script",
        400,
        "/login",
        { email: "ada@example.com", password: "" },
        byScript(),
      ),
    () =>
      send("signing in by script", leadsOn, "/login", signInOf(someone()), byScript()).then(() =>
        sleep(1_000),
      ),
    () =>
      send("signing in on an older page", 202, "/login.data", signInOf(someone())).then(() => sleep(1_000)),
  ];
  const running = clients.map(async (work) => {
    while (!isStopping) {
      await work();
      await sleep(PAUSE_MILLISECONDS);
    }
  });

  return {
    counts,
    assets,
    cookie: ada?.cookie ?? "",
    async stop() {
      isStopping = true;
      await Promise.all(running);
    },
  };
}

const signInOf = ({ id }: { id: string }) => ({ email: `${id}@example.com`, password: PASSWORD });

const byScript = (cookie = "") => ({ [SENT_BY_SCRIPT]: "1", cookie });

/** What the account's script takes for an answer that leads on: also the redirect of a version that does not know it. */
function leadsOn({ status, headers }: Response): boolean {
  return status === 204 ? headers.get(LEADS_TO) === "/dashboard" : status === 303;
}

/** The scripts, styles and pictures that a page names. */
export const assetsIn = (page: string) =>
  new Set([...page.matchAll(/\/assets\/[\w.-]+\.(?:js|css|svg|png)/g)].map(([name]) => name));

/** Not a part of one, as a script asks for. */
const isPage = ({ headers, status }: Response, body: string) =>
  status === 200 && headers.get("content-type")?.startsWith("text/html") && body.startsWith("<!");
