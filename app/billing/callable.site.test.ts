import type { Readable } from "node:stream";
import { Client } from "pg";
import { beforeAll, describe, expect, test } from "vitest";
import { breakStatements, cutDatabase } from "../../test/away.ts";
import { call, checkoutOf, control, eventually, pay, postForm } from "../../test/http.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { createSignedInUser } from "../../test/users.ts";
import { CODE_BY_STATUS, codeOf, type ErrorStatus } from "../http/errors.ts";

const server = setupServer({ LOG_LEVEL: "info" });
const logged: string[] = [];

beforeAll(() => {
  (server.child.stdout as Readable).on("data", (chunk) => logged.push(String(chunk)));
});

const signedIn = () => createSignedInUser(server.pool);

/** A call of a new signed-in user. */
async function callSignedIn(data: unknown = checkoutOf(server), name?: string): Promise<Response> {
  return call(server, data, (await signedIn()).cookie, name);
}

const callWith = (change: Record<string, unknown>) => callSignedIn({ ...checkoutOf(server), ...change });

/** A request of a new signed-in user. */
async function sendSignedIn({ headers, ...init }: RequestInit): Promise<Response> {
  const { cookie } = await signedIn();
  return fetch(`${server.origin}/functions/us-central1/createCheckoutSession`, {
    method: "POST",
    body: "{}",
    ...init,
    headers: { origin: server.origin, cookie, "content-type": "application/json", ...headers },
  });
}

const urlOf = async (response: Response): Promise<string> => (await response.json()).data?.url;

/** Stops every answer of the Stripe sandbox until it is called, for at most the seconds that the sandbox waits for its database. */
async function silenceStripe(): Promise<() => Promise<void>> {
  const { rows } = await server.pool.query("SELECT current_database() AS name");
  const url = new URL(process.env.TEST_DATABASE_URL ?? "");
  url.pathname = `/${rows[0].name}`;
  const holder = new Client({ connectionString: url.href });
  await holder.connect();
  await holder.query("BEGIN");
  await holder.query("LOCK TABLE sandbox_stripe.objects");
  return () => holder.end();
}

test("a signed-in user gets the payment page's URL under both names, whatever amount they send", async () => {
  const extra = { unit_amount: 1, trial_period_days: 900, coupon: "FREE", quantity: 0 };
  const response = await callWith(extra);
  expect(response.status).toBe(200);
  const body = await response.json();
  expect(body.data.url).toMatch(`${server.origin}/sandbox/stripe/checkout/`);
  expect(body).toEqual({ data: body.data, result: body.data });
  expect(await (await fetch(body.data.url)).text()).toContain("Pay $49.99");
});

test("the same request again, ten times at once, leads to the same page", async () => {
  const { cookie } = await signedIn();
  const urls = await Promise.all(
    Array.from({ length: 10 }, async () => urlOf(await call(server, checkoutOf(server), cookie))),
  );
  expect(new Set(urls).size).toBe(1);
  expect(urls[0]).toMatch(/checkout/);
});

test("another price replaces the first: only one can be paid", async () => {
  const { cookie } = await signedIn();
  const first = await urlOf(await call(server, checkoutOf(server, "price_csv_only_monthly"), cookie));
  const second = await urlOf(await call(server, checkoutOf(server, "price_csv_banking_yearly"), cookie));
  expect(second).not.toBe(first);
  expect((await pay(first)).status).toBe(410);
  expect((await pay(second)).status).toBe(303);
});

test("an admin is refused on the page too, and the dashboard it leads to offers no way back", async () => {
  const { id, cookie } = await signedIn();
  await server.pool.query(`UPDATE "user" SET email = 'Admin@Ownwords.example' WHERE id = $1`, [id]);
  const refused = await (await call(server, checkoutOf(server), cookie)).json();
  expect(refused.error.message).toMatch(/Admins don’t need a plan/);
  const sent = await postForm(server, "/subscription", { price: "price_csv_only_yearly" }, cookie);
  expect([sent.status, sent.headers.get("location")]).toEqual([303, "/dashboard"]);
  const dashboard = await (await fetch(`${server.origin}/dashboard`, { headers: { cookie } })).text();
  expect(dashboard).toContain("Admins don’t need a plan");
  expect(dashboard).not.toContain("Subscribe Now");
  expect(dashboard).not.toContain('href="/subscription"');
});

type Situations = Record<string, () => Promise<Response>>;

/**
 * Every row of the spec's table (§8), with the situations that produce it. 499 has no answer: see below. 501 without payments:
 * production.site.test.ts.
 */
const SITUATIONS: Record<Exclude<ErrorStatus, 499>, Situations> = {
  400: {
    "no data": () => sendSignedIn({}),
    "data of another shape": () => callSignedIn(["price"]),
    "a price that is no text": () => callWith({ price: { $gt: "" } }),
    "another site to return to": () => callWith({ success_url: "https://evil.example/dashboard" }),
    "our host with another port": () => callWith({ cancel_url: "http://localhost:1/subscription" }),
    "a script to return to": () => callWith({ cancel_url: "javascript:alert(1)" }),
    "a name before our host": () => callWith({ success_url: "http://me@localhost/" }),
    "a blob of our origin": () => callWith({ success_url: `blob:${server.origin}/dashboard` }),
    "another method": () => fetch(`${server.origin}/functions/us-central1/createCheckoutSession`),
    "PUT, signed in": () => sendSignedIn({ method: "PUT" }),
    "a form": () =>
      sendSignedIn({ headers: { "content-type": "application/x-www-form-urlencoded" }, body: "data=1" }),
    "half a JSON": () => sendSignedIn({ body: '{"data":' }),
    "more than 1 MB": () => sendSignedIn({ body: JSON.stringify({ data: "x".repeat(1_100_000) }) }),
  },
  401: {
    "signed out": () => call(server, checkoutOf(server)),
  },
  403: {
    "an admin": async () => {
      const { id, cookie } = await signedIn();
      await server.pool.query(`UPDATE "user" SET email = 'admin@ownwords.example' WHERE id = $1`, [id]);
      return call(server, checkoutOf(server), cookie);
    },
    "from another site with the user's cookie": () =>
      sendSignedIn({
        headers: { origin: "https://evil.example" },
        body: JSON.stringify({ data: checkoutOf(server) }),
      }),
  },
  404: {
    "a price that is not on sale": () => callSignedIn(checkoutOf(server, "price_of_salt")),
    "a region we do not serve": () =>
      fetch(`${server.origin}/functions/europe-west1/createCheckoutSession`, { method: "POST" }),
    "a path below a function": () =>
      fetch(`${server.origin}/functions/us-central1/createCheckoutSession/now`, { method: "POST" }),
  },
  409: {
    "a customer who has paid, whose payment is not known here yet": async () => {
      const { cookie } = await signedIn();
      const url = await urlOf(await call(server, checkoutOf(server), cookie));
      await control(server, { webhooks: "hold" });
      await pay(url);
      const response = await call(server, checkoutOf(server, "price_csv_only_monthly"), cookie);
      await control(server, { webhooks: "deliver" });
      return response;
    },
  },
  429: {
    "the twenty-first call within a minute": async () => {
      const { cookie } = await signedIn();
      for (let count = 0; count < 20; count++) await (await call(server, checkoutOf(server), cookie)).text();
      return call(server, checkoutOf(server), cookie);
    },
  },
  500: {
    "a bug of ours": async () => {
      const mend = await breakStatements(server, "INSERT ON checkout_attempts");
      const response = await callSignedIn();
      await mend();
      return response;
    },
  },
  501: {
    "a function we do not have, in a region we serve": () => callSignedIn({}, "dropTables"),
    "asked with another method, too": () => fetch(`${server.origin}/functions/us-central1/dropTables`),
  },
  503: {
    "Stripe is away, and works again afterwards": async () => {
      const { cookie } = await signedIn();
      await control(server, { api: "down" });
      const response = await call(server, checkoutOf(server), cookie);
      await control(server, { api: "up" });
      expect((await call(server, checkoutOf(server), cookie)).status).toBe(200);
      const { error } = await response.clone().json();
      expect(error.message).toBe("Failed to initiate checkout. Please try again.");
      return response;
    },
    "the database is away": async () => {
      const { cookie } = await signedIn();
      const letBackIn = await cutDatabase(server);
      const response = await call(server, checkoutOf(server), cookie);
      await letBackIn();
      return response;
    },
  },
  504: {
    "Stripe does not answer in time": async () => {
      await control(server, { timeouts: 1 });
      const response = await callSignedIn();
      await control(server, { timeouts: 0 });
      return response;
    },
  },
};

/** Whose wording is the spec's (§8). */
const WORDING: Record<string, string> = {
  401: "You must be logged in to subscribe",
  504: "Failed to initiate checkout. Please try again.",
};

for (const [row, situations] of Object.entries(SITUATIONS)) {
  describe(`${row} ${codeOf(Number(row))}`, () => {
    test.each(Object.entries(situations))("%s", async (_situation, produce) => {
      const response = await produce();
      const { error } = await response.json();
      const word = codeOf(Number(row)).toUpperCase().replace("-", "_");
      expect([response.status, error]).toEqual([
        Number(row),
        { status: word, message: WORDING[row] ?? expect.stringMatching(/\w/) },
      ]);
    });
  });
}

describe("499 cancelled", () => {
  test("the client goes away: logged, and the next press finds what was under way", async () => {
    const { id, cookie } = await signedIn();
    const leaving = new AbortController();
    const answerAgain = await silenceStripe();
    const left = fetch(`${server.origin}/functions/us-central1/createCheckoutSession`, {
      method: "POST",
      headers: { cookie, origin: server.origin, "content-type": "application/json" },
      body: JSON.stringify({ data: checkoutOf(server) }),
      signal: leaving.signal,
    });
    await eventually(async () => {
      const { rowCount } = await server.pool.query(
        "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%sandbox_stripe%'",
      );
      return (rowCount ?? 0) > 0;
    }, "the call waits for Stripe");
    leaving.abort();
    await expect(left).rejects.toThrow("aborted");
    const line = await eventually(
      async () => logged.join("").match(/^.*"code":"cancelled".*$/m)?.[0],
      "it is logged",
    );
    expect(JSON.parse(line)).toMatchObject({ function: "createCheckoutSession", status: 499 });
    await answerAgain();

    const kept = async () =>
      (await server.pool.query("SELECT session_id FROM checkout_attempts WHERE user_id = $1", [id])).rows;
    const [{ session_id: session }] = await eventually(async () => {
      const attempts = await kept();
      return attempts[0]?.session_id && attempts;
    }, "what was under way is recorded although nobody waits for it");
    expect(await urlOf(await call(server, checkoutOf(server), cookie))).toContain(session);
    expect(await kept()).toEqual([{ session_id: session }]);
  });
});

test("no row of the table is left out", () => {
  const shown = [...Object.keys(SITUATIONS), "499"].sort();
  expect(shown).toEqual(Object.keys(CODE_BY_STATUS).sort());
});
