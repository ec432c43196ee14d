import { once } from "node:events";
import { connect } from "node:net";
import { describe, expect, test } from "vitest";
import { appEntrances } from "../../test/entrances.ts";
import { asClient } from "../../test/http.ts";
import { createOperator } from "../../test/operator.ts";
import { dataPath, readRouterAnswer } from "../../test/router.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { todaysShare } from "../../test/shares.ts";
import { fetchToken } from "../../test/tokens.ts";
import { createPerson, createSignedInUsers, type Person } from "../../test/users.ts";
import { PATH_RULES } from "./path-rules.ts";

const APP = "https://app.example";
const OTHER_APP = "http://desktop.example:8080";

const server = setupServer({ CORS_ORIGINS: `${APP}, ${OTHER_APP}` });

/** The status that a request with these lines is answered with. */
async function statusOf(path: string, ...lines: string[]): Promise<string> {
  const socket = connect(Number(server.port), "127.0.0.1");
  await once(socket, "connect");
  socket.write([`GET ${path} HTTP/1.1`, "Connection: close", ...lines, "", ""].join("\r\n"));
  let answer = "";
  for await (const chunk of socket) answer += chunk;
  return answer.slice(9, 12);
}

const OWN_HOST = "Host: localhost";

test.each([
  ["two hosts", [OWN_HOST, "Host: evil.example"]],
  ["the same host twice", [OWN_HOST, "host: localhost"]],
  ["two hosts with others between", [OWN_HOST, "Accept: */*", "HOST: evil.example"]],
  ["two hosts in one line", ["Host: localhost, evil.example"]],
  ["a host with a path", ["Host: localhost/evil"]],
  ["a host with a user", ["Host: evil@localhost"]],
  ["no host", []],
])("%s: 400, whatever would answer", async (_what, lines) => {
  for (const path of [
    "/",
    "/pricing",
    "/login",
    "/healthz",
    "/favicon.ico",
    "/webhooks/stripe",
    "/sandbox/mail",
  ])
    expect([path, await statusOf(path, ...lines)]).toEqual([path, "400"]);
});

test.each(["localhost", "[::1]:3000", "own-words.example:443", "LOCALHOST.", "a_b.example"])(
  "the host %s is one",
  async (host) => {
    expect(await statusOf("/", `Host: ${host}`)).toBe("200");
    expect(await statusOf("/login", `Host: ${host}`)).toBe("200");
  },
);

const SITES = [undefined, "same-origin", "same-site", "cross-site", "none"] as const;
const ORIGINS = [undefined, "own", "null", "https://evil.example", "https://[broken", "own, evil"] as const;
/** Each path meets a third of the pairs, and others tomorrow: one judge sees all. */
const SHARE = todaysShare(3);
/** `Sec-Fetch-Site` and `Origin` of a form that is ours. */
const OURS = new Set(["undefined own", "same-origin undefined", "same-origin own", "same-origin null"]);

const posts = appEntrances().flatMap(({ method, path }) => (method === "POST" ? [path, `${path}.data`] : []));
const isFromAnywhere = (path: string) => PATH_RULES.fromAnywhere.some((known) => known === path);

function send(path: string, site: string | undefined, origin: string | undefined): Promise<Response> {
  const named = origin?.replace(/^own/, server.origin);
  return fetch(server.origin + path, {
    method: "POST",
    redirect: "manual",
    headers: {
      ...asClient(),
      // A cookie of no session: without one, JSON endpoints leave the question to themselves.
      cookie: "other=1",
      "content-type": "application/x-www-form-urlencoded",
      ...(site && { "sec-fetch-site": site }),
      ...(named && { origin: named }),
    },
    body: "",
  });
}

describe.each(SITES)("Sec-Fetch-Site: %s", (site) => {
  test.each(ORIGINS)("Origin: %s is judged once, and quietly", async (origin) => {
    let logged = "";
    const note = (chunk: Buffer) => {
      logged += chunk;
    };
    server.child.stdout?.on("data", note);
    const shift = SITES.indexOf(site) + ORIGINS.indexOf(origin);
    const isOurs = OURS.has(`${site} ${origin}`);
    const wrong: string[] = [];
    for (const [at, path] of posts.entries()) {
      if (!isFromAnywhere(path) && !SHARE.has(at + shift)) continue;
      const response = await send(path, site, origin);
      const text = await response.text();
      const isRefused = response.status === 403 && text.includes("This was sent from another site.");
      if (text === "Bad Request" || isRefused === (isOurs || isFromAnywhere(path)))
        wrong.push(`${path}: ${response.status} ${text.slice(0, 50)}`);
    }
    server.child.stdout?.off("data", note);
    expect(wrong, SHARE.name).toEqual([]);
    expect(logged.split("\n").filter((line) => /"level":"(error|fatal)"/.test(line))).toEqual([]);
  });
});

const LONG_AGO =
  "confirmed_at = now() - interval '1 day', second_factor_at = second_factor_at - interval '1 day'";
const NOT_NOW = "second_factor_at = now() - interval '1 hour'";

async function withSession(person: Person, change: string): Promise<string> {
  await server.pool.query(`UPDATE session SET ${change} WHERE user_id = $1`, [person.id]);
  return person.cookie;
}

const EVERY_PAGE = /^/;
/** gate.site.test.ts: who is no operator finds no console. */
const OUTSIDE_CONSOLE = /^(?!\/admin)/;
const CONSOLE = /^\/admin/;

/** Those who are led elsewhere by one page or another, and the pages where they differ from those before. */
const READERS: [who: string, pages: RegExp, make: () => Promise<string>][] = [
  ["a visitor", EVERY_PAGE, async () => ""],
  ["a user who signed in now", OUTSIDE_CONSOLE, async () => (await createPerson(server.pool)).cookie],
  [
    "a user who signed in long ago",
    /^\/account/,
    async () => withSession(await createPerson(server.pool), LONG_AGO),
  ],
  [
    "an operator who signed in long ago",
    CONSOLE,
    async () => withSession(await createOperator(server.pool), LONG_AGO),
  ],
  [
    "an operator who showed the factor an hour ago",
    CONSOLE,
    async () => withSession(await createOperator(server.pool), NOT_NOW),
  ],
];

/** Every page, with a query that means nothing to it. Programs' endpoints, files and the count of tries answer no router. */
const PAGES = appEntrances().filter(
  ({ path }) => !/\.|^\/(functions|v1|api|webhooks|try-it|auth\/(start|popup|callback|passkey))\b/.test(path),
);

describe.each(READERS)("%s", (_who, pages, make) => {
  test("is led by the router to where a document leads", async () => {
    const wrong: string[] = [];
    for (const { method, path } of PAGES) {
      if (!pages.test(path)) continue;
      const ask = async (url: string) =>
        fetch(server.origin + url, {
          method,
          redirect: "manual",
          // A new user for each request, because some pages sign out and there is one operator at a time.
          headers: { ...asClient(), origin: server.origin, cookie: await make() },
          ...(method === "POST" && { body: new URLSearchParams({ do: "x" }) }),
        });
      const location = (await ask(`${path}?x=1`)).headers.get("location") ?? undefined;
      const answer = await ask(dataPath(`${path}?x=1`));
      const { redirect } = await readRouterAnswer(answer, method === "GET" ? "root" : undefined);
      // A document with a refused form is a page again, which may lead on by itself.
      const isShownAgain = method === "POST" && answer.status >= 400;
      if (redirect !== location && !isShownAgain)
        wrong.push(`${method} ${path}: ${redirect}, not ${location}`);
    }
    expect(wrong).toEqual([]);
  });

  test("is not led on by an address longer than proxies take, whatever the query", async () => {
    const query = `category=a&keywords=b&${"/".repeat(7000)}`;
    const wrong: string[] = [];
    for (const { method, path } of PAGES) {
      if (method !== "GET" || !pages.test(path)) continue;
      const answer = await fetch(`${server.origin + path}?${query}`, {
        redirect: "manual",
        headers: { ...asClient(), cookie: await make() },
      });
      const { length } = answer.headers.get("location") ?? "";
      if (answer.status >= 500 || length > 4096)
        wrong.push(`${path}: ${answer.status}, ${length} characters`);
    }
    expect(wrong).toEqual([]);
  });
});

const JSON_PATHS = [
  "/functions/us-central1/createCheckoutSession",
  "/v1/accounts:update",
  "/v1/projects",
  "/api/token",
];

function corsOf({ headers }: Response) {
  return Object.fromEntries(
    [...headers].flatMap(([name, value]) =>
      name.startsWith("access-control-") ? [[name.slice("access-control-".length), value]] : [],
    ),
  );
}

function preflight(path: string, origin: string) {
  return fetch(server.origin + path, {
    method: "OPTIONS",
    headers: {
      origin,
      "sec-fetch-site": "cross-site",
      "access-control-request-method": "POST",
      "access-control-request-headers": "authorization,content-type",
    },
  });
}

test.each(JSON_PATHS)("%s may be called from the configured origins", async (path) => {
  for (const origin of [APP, OTHER_APP]) {
    const response = await preflight(path, origin);
    expect(response.status).toBe(204);
    expect(response.headers.get("Vary")).toContain("Origin");
    expect(corsOf(response)).toEqual({
      "allow-origin": origin,
      "allow-methods": "GET, POST",
      "allow-headers": "Authorization, Content-Type, Firebase-Instance-ID-Token, X-Firebase-AppCheck",
      "expose-headers": "Retry-After, X-Request-Id",
      "max-age": "600",
    });
  }
});

test.each(["https://evil.example", "https://app.example.evil.example", "https://app.example:444", "null"])(
  "%s may call nothing",
  async (origin) => {
    for (const path of JSON_PATHS) {
      const response = await preflight(path, origin);
      expect(corsOf(response)).toEqual({});
      expect(response.headers.get("Vary")).toContain("Origin");
    }
  },
);

test("other origins get no access to pages and forms, whatever is configured", async () => {
  for (const path of ["/login", "/dashboard", "/", "/auth/handoff", "/webhooks/stripe"]) {
    expect(corsOf(await preflight(path, APP))).toEqual({});
  }
});

test("answers and errors can be read, and never with credentials", async () => {
  const [user] = await createSignedInUsers(server.pool, 1);
  const authorization = `Bearer ${await fetchToken(server, user?.cookie ?? "")}`;
  const call = (path: string, headers: Record<string, string>, body = "{}", method = "POST") =>
    fetch(server.origin + path, {
      method,
      headers: {
        origin: APP,
        "sec-fetch-site": "cross-site",
        "content-type": "application/json",
        ...headers,
      },
      ...(method === "POST" && { body }),
    });
  const readable = { "allow-origin": APP, "expose-headers": "Retry-After, X-Request-Id" };
  const answers = [
    [200, await call("/v1/accounts:update", { authorization })],
    [401, await call("/v1/accounts:update", {})],
    [401, await call("/v1/accounts:update", { authorization: "Bearer x" })],
    [400, await call("/v1/accounts:update", { authorization }, "{")],
    [405, await call("/v1/accounts:update", {}, "", "GET")],
    [403, await call("/v1/accounts:update", { cookie: user?.cookie ?? "" })],
    [400, await call("/v1/accounts:update", { authorization }, " ".repeat(1_100_000))],
    [401, await call("/api/token", { cookie: user?.cookie ?? "" }, "", "GET")],
    [200, await call("/v1/projects", {}, "", "GET")],
  ] as const;
  for (const [status, response] of answers) {
    expect([status, corsOf(response)]).toEqual([response.status, readable]);
    expect(response.headers.get("Vary")).toContain("Origin");
    expect(response.headers.get("Content-Type")).toContain("application/json");
  }
});
