import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { routeFiles, withParameters } from "../../test/entrances.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { createPerson } from "../../test/users.ts";

const APP = join(import.meta.dirname, "..");
const EMAILS = Array.from({ length: 8 }, (_, index) => `operator-${index}@example.com`);
const server = setupServer({ ADMIN_EMAILS: EMAILS.join() });

/** Whatever a form of the console may want to hear. */
const FIELDS = {
  do: "delete",
  id: "1",
  reason: "A test",
  confirm: "1",
  email: "ada@example.com",
  tier: "premium",
  code: "WELCOME",
  months: "1",
  count: "1",
  max_uses: "1",
  answer: "Hello",
  name: "csv",
  state: "open",
  selected: "WELCOME",
};

/** Every address of the console in routes.ts, with a module that has something for it. */
const ADDRESSES = routeFiles().filter(({ path }) => path === "/admin" || path.startsWith("/admin/"));

interface Visitor {
  cookie: string;
  /** What every request is answered with: as if there were nothing, or where it leads. */
  refusal: "404" | "/account/second-factor" | "/account/confirm";
}

/** Every kind of visitor who must be refused, and one who must pass. */
const visitors = new Map<string, Visitor>();
let operator = "";

/** The state of a visitor, as SQL sets it. */
interface Made {
  email?: string | undefined;
  isVerified?: boolean;
  hasFactor?: boolean;
  session?: string;
}

async function make({ email, isVerified = true, hasFactor = true, session }: Made): Promise<string> {
  const { id, cookie } = await createPerson(server.pool);
  await server.pool.query(
    `UPDATE "user" SET email = coalesce($2, email), email_verified = $3 WHERE id = $1`,
    [id, email, isVerified],
  );
  if (hasFactor) {
    await server.pool.query(
      "INSERT INTO passkeys (id, user_id, name, public_key) VALUES ($1, $2, 'A key', '')",
      [randomUUID(), id],
    );
    await server.pool.query("UPDATE session SET second_factor_at = now() WHERE user_id = $1", [id]);
  }
  // Not due to be renewed, which would be a change.
  await server.pool.query("UPDATE session SET expires_at = now() + interval '30 days' WHERE user_id = $1", [
    id,
  ]);
  if (session) await server.pool.query(`UPDATE session SET ${session} WHERE user_id = $1`, [id]);
  return cookie;
}

beforeAll(async () => {
  const [passes, unverified, without, staleSignIn, staleFactor, notShown, waiting, ended] = EMAILS;
  const add = async (name: string, refusal: Visitor["refusal"], made: Made) =>
    visitors.set(name, { cookie: await make(made), refusal });
  operator = await make({ email: passes });
  visitors.set("nobody", { cookie: "", refusal: "404" });
  await add("a user with a second factor who is not on the list", "404", {});
  await add("an address on the list that nobody confirmed", "404", { email: unverified, isVerified: false });
  await add("an operator without a second factor", "/account/second-factor", {
    email: without,
    hasFactor: false,
  });
  await add("an operator who signed in twelve hours ago", "/account/confirm", {
    email: staleSignIn,
    session: "confirmed_at = now() - interval '12 hours'",
  });
  await add("an operator who showed the second factor twelve hours ago", "/account/confirm", {
    email: staleFactor,
    session: "second_factor_at = now() - interval '12 hours'",
  });
  await add("an operator who has not shown it in this session", "/account/confirm", {
    email: notShown,
    session: "second_factor_at = NULL",
  });
  await add("an operator whose sign-in waits for it", "404", {
    email: waiting,
    session: "needs_second_factor = true, second_factor_at = NULL",
  });
  await add("an operator whose session has ended", "404", {
    email: ended,
    session: "expires_at = now()",
  });
});

// An operator's session without a shown second factor breaks an invariant, so only SQL can create it.
afterAll(() => server.pool.query("DELETE FROM session"));

/** The rows of each table, one line per table, without those that change by themselves. */
async function snapshot(): Promise<Record<string, string>> {
  const { rows: tables } = await server.pool.query(
    `SELECT table_name AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE'
       AND table_name NOT IN ('assets', 'outbox', 'processes', 'products', 'prices', 'skipped_prices', 'page_views', 'daily_figures')
       AND table_name !~ '^(standing|counted|plans_to_count)'`,
  );
  const sums = tables.map(
    ({ name }) =>
      `SELECT '${name}', count(*) || ' ' || md5(coalesce(string_agg(row::text, ',' ORDER BY row::text), ''))
       FROM "${name}" AS row`,
  );
  const { rows } = await server.pool.query(
    `SELECT 'outbox ' || kind AS name, count(*)::text AS rows FROM outbox GROUP BY kind UNION ALL ${sums.join(" UNION ALL ")}`,
  );
  return Object.fromEntries(rows.map(({ name, rows }) => [name, rows]));
}

/** One of each refusal: who asks for documents, which take long to render. The others' requests reach the same loaders and actions. */
const ASK_FOR_DOCUMENTS = [
  "nobody",
  "an operator without a second factor",
  "an operator who signed in twelve hours ago",
];

/** Each way to ask for an address: as a document, and as React Router's own requests do, with and without the frame. */
function requestsFor({
  path,
  file,
  id,
}: (typeof ADDRESSES)[number]): [what: string, url: string, init: RequestInit][] {
  const url = withParameters(path);
  const form = { method: "POST", headers: { origin: server.origin }, body: new URLSearchParams(FIELDS) };
  const hasLoader = /^export (async )?(function|const) loader\b/m.test(readFileSync(join(APP, file), "utf8"));
  const only = `${url}.data?_routes=${encodeURIComponent(id)}`;
  return [
    ["GET", url, {}],
    ["HEAD", url, { method: "HEAD" }],
    ["POST", url, form],
    ["data", `${url}.data`, {}],
    ...(hasLoader ? [["its own data", only, {}] satisfies [string, string, RequestInit]] : []),
    ["data of a POST", `${url}.data`, form],
  ];
}

/** Where an answer leads, or its status. React Router tells its scripts in the body where to go. */
async function outcomeOf(answer: Response): Promise<string> {
  const location = answer.headers.get("location");
  if (location) return location.replace(/\?.*/, "");
  const body = await answer.text();
  if (answer.status === 202) return /"(\/account\/[\w-]+)\?/.exec(body)?.[1] ?? body;
  return String(answer.status);
}

test("there is a console to guard, and it opens for its operator", async () => {
  expect(ADDRESSES.length).toBeGreaterThan(0);
  const page = await fetch(`${server.origin}/admin`, { headers: { cookie: operator } });
  expect(page.status).toBe(200);
});

test("every loader and every action of the console asks who it is, itself or by a function that does", () => {
  const open = ADDRESSES.flatMap(({ file }) => {
    const source = readFileSync(join(APP, file), "utf8");
    const guards = guardsOf(source, join(APP, file));
    const doors = source.matchAll(/^export (?:async )?(?:function|const) (loader|action)\b.*?^\}/gms);
    return [...doors]
      .filter(([body]) => !guards.some((guard) => new RegExp(`\\b${guard}\\b`).test(body)))
      .map(([, door]) => `${door} of ${file}`);
  });
  expect(open).toEqual([]);
});

/** What a module imports that asks: `requireOperator`, and what a module of the console that imports that exports. */
function guardsOf(source: string, file: string): string[] {
  return [...source.matchAll(/^import \{([^}]*)\} from "(\.[^"]+)"/gms)].flatMap(
    ([, names = "", from = ""]) => {
      const imported = names.split(",").map((name) => name.replace("type ", "").trim());
      if (imported.includes("requireOperator")) return imported.filter((name) => name.startsWith("require"));
      const path = resolve(dirname(file), from);
      const asks = path.startsWith(join(APP, "admin")) && path.endsWith(".server.ts");
      return asks && readFileSync(path, "utf8").includes("await requireOperator(") ? imported : [];
    },
  );
}

describe("nobody else passes, and nothing is changed:", () => {
  const names = [
    "nobody",
    "a user with a second factor who is not on the list",
    "an address on the list that nobody confirmed",
    "an operator without a second factor",
    "an operator who signed in twelve hours ago",
    "an operator who showed the second factor twelve hours ago",
    "an operator who has not shown it in this session",
    "an operator whose sign-in waits for it",
    "an operator whose session has ended",
  ];

  test.each(names)("%s", async (name) => {
    const { cookie, refusal } = visitors.get(name) ?? { cookie: "", refusal: "404" };
    const before = await snapshot();
    const passed: string[] = [];
    const ask = async ([what, url, init]: ReturnType<typeof requestsFor>[number]) => {
      const headers = { ...init.headers, ...(cookie && { cookie }) };
      const answer = await fetch(server.origin + url, { ...init, redirect: "manual", headers });
      const outcome = await outcomeOf(answer);
      // A page without an action refuses every POST, and a page without anything says nothing.
      if (outcome !== refusal && outcome !== "405") passed.push(`${what} ${url}: ${outcome}`);
    };
    for (const address of ADDRESSES) {
      const isWhole = ASK_FOR_DOCUMENTS.includes(name) || address.file.endsWith(".ts");
      const requests = requestsFor(address);
      await Promise.all(requests.filter(([what]) => isWhole || what.includes("data")).map(ask));
    }
    expect(passed).toEqual([]);
    expect(await snapshot()).toEqual(before);
  });

  test("these are all", () => expect([...visitors.keys()].toSorted()).toEqual(names.toSorted()));
});
