import type { IncomingMessage, ServerResponse } from "node:http";
import { beforeAll, expect, test } from "vitest";
import { asClient } from "../../test/http.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createSignedInUser } from "../../test/users.ts";
import type { App } from "../http/context.server.ts";
import { SENT_BY_SCRIPT } from "../ui/sent-by-script.ts";
import { createRedeemEntrance } from "./redeem-entrance.server.ts";

const server = sharedServer();
const PATH = "/promo/redeem?secondary=";
/** Too long for the entrance. */
const BY_THE_ROUTER = `${PATH}&${"x".repeat(100)}`;

beforeAll(async () => {
  await server.pool.query(
    "INSERT INTO promo_codes (code, tier, duration_type, duration_months) VALUES ('BY_ENTRANCE', 'basic', 'months', 2)",
  );
});

interface Asked {
  body: string;
  cookie: string;
  headers?: Record<string, string>;
}

const send = (path: string, { body, cookie, headers }: Asked, client = asClient()) =>
  fetch(server.origin + path, {
    method: "POST",
    redirect: "manual",
    headers: {
      origin: server.origin,
      "content-type": "application/x-www-form-urlencoded",
      [SENT_BY_SCRIPT]: "1",
      ...client,
      cookie,
      ...headers,
    },
    body,
  });

/** Somebody whose session ends in so long. */
async function signIn(seenBefore: string) {
  const user = await createSignedInUser(server.pool);
  await server.pool.query("UPDATE session SET updated_at = now() - $2::interval WHERE user_id = $1", [
    user.id,
    seenBefore,
  ]);
  return user;
}

/** Without what is of the moment, or of the one person. */
async function contentOf(answer: Response) {
  const headers = Object.fromEntries(
    [...answer.headers]
      .filter(([name]) => name !== "date")
      // Compressed, the times of two moments may differ in length.
      .filter(([name]) => name !== "content-length" || !answer.headers.has("content-encoding"))
      .map(([name, value]) => [name, value.replaceAll(/session=\w+[^;]*/g, "session=…")]),
  );
  return {
    status: answer.status,
    headers,
    text: (await answer.text()).replaceAll(/<\/?time[^>]*>|(?<=name="account" value=")[^"]+/g, ""),
  };
}

const form = (code: string, more = "") => `form=promo&code=${code}${more}`;

test.each<[what: string, status: number, asked: Omit<Asked, "cookie">, times?: number]>([
  ["a code that is redeemed", 200, { body: form("by_entrance") }],
  ["one that is redeemed again", 200, { body: form("by_entrance") }, 2],
  ["one that does not exist", 400, { body: form("nothing") }],
  ["one tried too often", 429, { body: form("nothing") }, 11],
  ["no code", 400, { body: form("") }],
  ["a code to be looked at", 200, { body: form("by_entrance", "&intent=check") }],
  ["an encoded code", 200, { body: form("%20BY%5FENTRANCE%20") }],
  ["a browser that knows gzip", 200, { body: form("by_entrance"), headers: { "accept-encoding": "gzip" } }],
  ["one that knows brotli", 200, { body: form("by_entrance"), headers: { "accept-encoding": "gzip, br" } }],
  ["one that knows neither", 200, { body: form("by_entrance"), headers: { "accept-encoding": "identity" } }],
  ["a field twice", 400, { body: form("by_entrance", "&code=other") }],
  ["a field that no form has", 400, { body: form("by_entrance", "&a[9999999]=1") }],
  ["many fields", 400, { body: form("by_entrance", `&${"abcdefghijk".split("").join("=1&")}&a=2`) }],
])("%s: answered as by the router", async (_what, status, asked, times = 1) => {
  const answers = [];
  for (const path of [PATH, BY_THE_ROUTER]) {
    const { cookie } = await signIn("0 minutes");
    const client = asClient();
    for (let time = 1; time < times; time++) await (await send(path, { ...asked, cookie }, client)).text();
    answers.push(await contentOf(await send(path, { ...asked, cookie }, client)));
  }
  expect(answers[0]).toEqual(answers[1]);
  expect(answers[0]?.status).toBe(status);
});

test("a session that is renewed, and one that has ended: answered as by the router", async () => {
  const answers = [];
  for (const path of [PATH, BY_THE_ROUTER]) {
    const { id, cookie } = await signIn("11 minutes");
    const renewed = await contentOf(await send(path, { body: form("by_entrance"), cookie }));
    await server.pool.query("DELETE FROM session WHERE user_id = $1", [id]);
    answers.push([renewed, await contentOf(await send(path, { body: form("by_entrance"), cookie }))]);
  }
  expect(answers[0]).toEqual(answers[1]);
  const [renewed, ended] = answers[0] ?? [];
  expect(renewed?.headers).toMatchObject({
    "set-cookie": expect.stringContaining("session=…"),
    "clear-site-data": expect.any(String),
  });
  expect([ended?.status, ended?.headers["x-leads-to"]]).toEqual([
    204,
    "/login?return_to=%2Fsubscription%3Fpromo%3Dby_entrance&reason=promo",
  ]);
});

const HEAD = {
  "content-type": "application/x-www-form-urlencoded; charset=UTF-8",
  "content-length": "27",
  [SENT_BY_SCRIPT.toLowerCase()]: "1",
  cookie: "session=1",
  origin: "https://ownwords.example",
};

test.each<[what: string, isTaken: boolean, asked: Partial<IncomingMessage>]>([
  ["a form from our own page", true, {}],
  ["one that a browser says is", true, { headers: { ...HEAD, "sec-fetch-site": "same-origin" } }],
  ["a GET", false, { method: "GET" }],
  ["another path", false, { url: "/promo/redeemed?" }],
  ["a long query", false, { url: BY_THE_ROUTER }],
  ["another site, by its origin", false, { headers: { ...HEAD, origin: "https://evil.example" } }],
  ["another site, by the browser's word", false, { headers: { ...HEAD, "sec-fetch-site": "cross-site" } }],
  ["no word of where from", false, { headers: { ...HEAD, origin: undefined } }],
  ["a browser by itself", false, { headers: { ...HEAD, [SENT_BY_SCRIPT.toLowerCase()]: undefined } }],
  ["nobody who could be signed in", false, { headers: { ...HEAD, cookie: undefined } }],
  ["JSON", false, { headers: { ...HEAD, "content-type": "application/json" } }],
  ["an unknown length", false, { headers: { ...HEAD, "content-length": undefined } }],
  ["a large body", false, { headers: { ...HEAD, "content-length": "5000" } }],
  ["no body", false, { headers: { ...HEAD, "content-length": "0" } }],
])("whether the entrance takes %s: %s", (_what, isTaken, asked) => {
  const entrance = createRedeemEntrance({ config: { publicOrigin: HEAD.origin } } as App, {
    stateOf: (_, notes) => ({ id: notes.id, notes, client: "", hasSession: true, setCookies: [] }),
    passOn: () => expect.fail(),
    onDone: () => expect.fail(),
  });
  const request = { method: "POST", url: PATH, headers: HEAD, on() {}, once() {}, ...asked };
  const notes = { id: "1", method: "POST", route: "" };
  expect(entrance(request as IncomingMessage, {} as ServerResponse, notes)).toBe(isTaken);
});
