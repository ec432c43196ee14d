import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Pool } from "pg";
import { hashPassword } from "../../../app/auth/passwords.server.ts";
import { PUBLIC_PAGES } from "../../../app/marketing/pages.ts";
import { asClient } from "../../http.ts";
import { dataPath } from "../../router.ts";
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
  /** Every script, style and picture that a page has named, or that its router could ask for. */
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
    const named = [...assetsIn(page)];
    const files = await Promise.all(named.map((name) => ask(`scripts and styles of ${kind}s`, 200, name)));
    // A hydrated page knows those of all others, for when its router opens them.
    const ofOthers = files
      .filter((_, at) => named[at]?.includes("/manifest-"))
      .flatMap((text) => [...assetsIn(text)]);
    for (const name of [...named, ...ofOthers]) assets.add(name);
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
    // As the router of a hydrated page sends forms and asks for what pages show.
    () =>
      send(
        "looking at a code by the router",
        200,
        "/promo/check.data?code=UPGRADE&_routes=promo%2Fcheck",
        null,
        { cookie: someone().cookie },
      ),
    () => {
      const fields = { form: "promo", code: "UPGRADE" };
      const { cookie } = someone();
      return send("redeeming a code by the router", 200, dataPath("/subscription"), fields, { cookie });
    },
    () =>
      send("opening a page by the router", 200, dataPath("/dashboard"), null, { cookie: ada?.cookie ?? "" }),
    () =>
      send("a wrong password by the router", 400, dataPath("/login"), {
        email: "ada@example.com",
        password: "",
      }),
    () =>
      send("signing in by the router", 202, dataPath("/login"), signInOf(someone())).then(() => sleep(1_000)),
    // As the script of earlier releases does, on a page that was opened before the upgrade.
    () => {
      const fields = { form: "promo", code: "UPGRADE" };
      return send(
        "redeeming a code on an older page",
        200,
        "/subscription",
        fields,
        onOlder(someone().cookie),
      );
    },
    () =>
      send("signing in on an older page", leadsOn, "/login", signInOf(someone()), onOlder()).then(() =>
        sleep(1_000),
      ),
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

const onOlder = (cookie = "") => ({ "X-Sent-By-Script": "1", cookie });

/** What such a script takes for an answer that leads on: its own version's, and the redirect of one that does not know it. */
function leadsOn({ status, headers }: Response): boolean {
  return status === 204 ? headers.get("X-Leads-To") === "/dashboard" : status === 303;
}

/** The scripts, styles and pictures that a page names, or a list of them. */
export const assetsIn = (text: string) =>
  new Set([...text.matchAll(/\/assets\/[\w.-]+\.(?:js|css|svg|png)/g)].map(([name]) => name));

/** Not a part of one, as a script asks for. */
const isPage = ({ headers, status }: Response, body: string) =>
  status === 200 && headers.get("content-type")?.startsWith("text/html") && body.startsWith("<!");
