import { Agent, request } from "node:http";
import { connect } from "node:net";
import { expect, test } from "vitest";
import { appEntrances } from "../entrances.ts";
import { asClient } from "../http.ts";
import { AFTERWARDS, BODIES, HEADERS, type Header, oddBytes, QUERIES, VALUES } from "../odd-inputs.ts";
import { createOperator } from "../operator.ts";
import { GIVE_UP_WAITING_AFTER } from "../pace.ts";
import { setupServer } from "../server.fixture.ts";
import { todaysShare } from "../shares.ts";
import { createSignedInUsers } from "../users.ts";
import { describeInput, openWorstRequests } from "../worst-requests.ts";

/**
 * Each entrance is sent every twelfth input, the next entrance the ones after: the server answers some hundred a second.
 * `npm run soak -- malformed` sends all to each.
 */
const SHARE = todaysShare(12);
/** How many are on their way at once. */
const AT_ONCE = 8;
const ANSWERED_WITHIN = GIVE_UP_WAITING_AFTER / 12;
/** Said on purpose: something is switched off, or is not there at the moment. */
const MEANT = new Set([501, 503]);
/** Beside the routes: what is answered before them, or by none. */
const MORE_ENTRANCES = ["/healthz", "/favicon.ico", "/assets/none.js", "/.env", "/nowhere"].map((path) => ({
  method: "GET",
  path,
}));

interface Odd {
  method: string;
  path: string;
  headers?: readonly Readonly<Header>[];
  body?: string;
}

const server = setupServer();
const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

test("whatever is sent to any entrance: no line of level error, and no answer of 5xx that is not meant", async () => {
  const errors: string[] = [];
  server.child.stdout?.on("data", (chunk: Buffer) => {
    errors.push(...`${chunk}`.split("\n").filter((line) => /"level":"(error|fatal)"/.test(line)));
  });
  const operator = await createOperator(server.pool);
  const users = await createSignedInUsers(server.pool, 20);
  const cookies = users.flatMap(({ cookie }) => ["", cookie]);
  const faults: string[] = [];

  const entrances = [...appEntrances(), ...MORE_ENTRANCES].filter(({ path }) => path !== "/logout");
  await inTurn(entrances, async ({ method, path }, at) => {
    const forms = method === "POST" ? await formsOn(path, operator.cookie) : [];
    const headers = HEADERS.filter((_, kind) => (kind + at) % 2 === 0);
    const odd = method === "POST" ? [...postsTo(path, headers), ...forms] : getsOf(path, headers);
    expect(odd.length, path).toBeGreaterThanOrEqual(50);
    for (const [nth, one] of odd.entries()) {
      if (!SHARE.has(nth + at)) continue;
      // One request in five is of a user for whom the console does not exist.
      const isOperator = path.startsWith("/admin") && nth % 5 !== 0;
      const cookie = isOperator ? operator.cookie : cookies[(at + nth) % cookies.length];
      const fault = await faultOf(one, cookie ?? "");
      if (fault) faults.push(`${fault}: ${JSON.stringify(one).slice(0, 300)}`);
    }
  });
  await inTurn(oddBytes(new URL(server.origin).host), sendBytes);
  // An answer after all of them: what they wrote has been written.
  expect(await faultOf({ method: "GET", path: "/healthz" }, "")).toBe("");
  agent.destroy();
  expect(errors, SHARE.name).toEqual([]);
  expect(faults, SHARE.name).toEqual([]);
  expect(server.child.exitCode).toBeNull();
});

// How long others are kept waiting meanwhile is measured by `npm run soak -- malformed`.
test("whatever a route takes, within its limits or beyond them, it is answered, and never by an error of ours", async () => {
  const { requests, send } = await openWorstRequests(server);
  const inputs = requests.flatMap(({ inputs }, entrance) =>
    inputs.filter((_, at) => SHARE.has(at + entrance)),
  );
  const faults: string[] = [];
  await inTurn(inputs, async (input) => {
    const status = await send(input);
    // 501: the Stripe sandbox says so of a parameter that only Stripe itself has.
    if (status >= 500 && status !== 501) faults.push(`${status} for ${describeInput(input)}`);
  });
  expect(faults, SHARE.name).toEqual([]);
  expect(server.child.exitCode).toBeNull();
});

async function inTurn<Item>(items: readonly Item[], use: (item: Item, at: number) => Promise<void>) {
  const queue = items.entries();
  const work = async () => {
    for (const [at, item] of queue) await use(item, at);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

function getsOf(path: string, lists: Header[][]): Odd[] {
  const method = "GET";
  return [
    ...QUERIES.map((query) => ({ method, path: `${path}?${query}` })),
    ...lists.map((headers) => ({ method, path, headers })),
    ...AFTERWARDS.map((more) => ({ method, path: path + more })),
    ...["OPTIONS", "PUT", "DELETE", "TRACE", "HEAD"].map((other) => ({ method: other, path })),
  ];
}

function postsTo(path: string, lists: Header[][]): Odd[] {
  const method = "POST";
  const type = ["Content-Type", "application/x-www-form-urlencoded"] as const;
  return [
    ...BODIES.map(([type, body]) => ({ method, path, headers: [["Content-Type", type]] as const, body })),
    ...lists.map((headers) => ({ method, path, headers: [type, ...headers], body: "email=x&form=y" })),
  ];
}

/** The forms on a page as an operator sees it, with something odd in every field that is typed. */
async function formsOn(path: string, cookie: string): Promise<Odd[]> {
  const page = await fetch(server.origin + path, { headers: { cookie }, redirect: "manual" });
  const forms = (await page.text()).match(/<form\b.*?<\/form>/gs) ?? [];
  const fields = forms.map((form) =>
    [...form.matchAll(/<(input|button|textarea|select)\b[^>]*? name="(\w+)"[^>]*>/g)].map(
      ([tag, , name = ""]) => ({
        name,
        value: /type="(?:hidden|submit)"/.test(tag) ? (/ value="([^"]*)"/.exec(tag)?.[1] ?? "") : undefined,
      }),
    ),
  );
  const odd = fields.flatMap((names) =>
    VALUES.map((odd) =>
      names.map(({ name, value }) => `${name}=${value ? encodeURIComponent(value) : odd}`).join("&"),
    ),
  );
  return [...new Set(odd)].map((body) => ({
    method: "POST",
    path,
    body,
    headers: [["Content-Type", "application/x-www-form-urlencoded"]],
  }));
}

/** @returns what is wrong with the answer, or nothing */
function faultOf(odd: Odd, cookie: string): Promise<string> {
  const { method, path, headers = [], body = "" } = odd;
  const common: [string, string][] = [
    ["Host", new URL(server.origin).host],
    ["Origin", server.origin],
    ["X-Forwarded-For", asClient()["x-forwarded-for"]],
    ["Cookie", cookie],
  ];
  const own = new Set(headers.map(([name]) => name));
  const sent = [...common.filter(([name, value]) => value && !own.has(name)), ...headers];
  if (body) sent.push(["Content-Length", String(Buffer.byteLength(body, "latin1"))]);
  return new Promise((resolve) => {
    const asked = request(
      { port: server.port, method, path, agent, headers: sent.flat(), timeout: ANSWERED_WITHIN },
      (answer) => {
        const { statusCode = 0 } = answer;
        answer.resume();
        answer.once("close", () =>
          resolve(statusCode >= 500 && !MEANT.has(statusCode) ? `${statusCode}` : ""),
        );
      },
    );
    asked.once("timeout", () => asked.destroy(new Error("no answer in time")));
    asked.once("error", (error) =>
      // The server may close a connection that it kept at the moment it is used again.
      resolve(
        asked.reusedSocket && /hang up|ECONNRESET|EPIPE/.test(`${error}`) ? faultOf(odd, cookie) : `${error}`,
      ),
    );
    asked.end(body, "latin1");
  });
}

/** Sends what may be no request, says that no more comes, and waits until the server closes the connection. */
function sendBytes(bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(server.port), "127.0.0.1");
    const deadline = setTimeout(
      () => reject(new Error(`neither answered nor closed: ${JSON.stringify(bytes.slice(0, 100))}`)),
      ANSWERED_WITHIN,
    );
    socket.on("error", () => {});
    socket.once("close", () => {
      clearTimeout(deadline);
      resolve();
    });
    socket.resume().end(Buffer.from(bytes, "latin1"));
  });
}
