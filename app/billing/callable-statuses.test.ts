import type { Readable } from "node:stream";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { breakStatements, cutDatabase } from "../../test/away.ts";
import { call, checkoutOf, control, eventually, pay } from "../../test/http.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { startServer, type TestServer } from "../../test/server.ts";
import { createSignedInUser } from "../../test/users.ts";
import { CODE_BY_STATUS, codeOf, type ErrorStatus } from "../http/errors.ts";

const server = setupServer({ LOG_LEVEL: "info" });
/** A site without payment keys, where nothing stands in for Stripe. */
let withoutPayments: TestServer;
const logged: string[] = [];

beforeAll(async () => {
  (server.child.stdout as Readable).on("data", (chunk) => logged.push(String(chunk)));
  withoutPayments = await startServer({
    NODE_ENV: "production",
    PUBLIC_ORIGIN: "http://localhost",
    HOST: "127.0.0.1",
  });
});

afterAll(() => withoutPayments.stop());

const signedIn = () => createSignedInUser(server.pool);

/** A call of somebody new who is signed in. */
async function callSignedIn(data: unknown = checkoutOf(server), name?: string): Promise<Response> {
  return call(server, data, (await signedIn()).cookie, name);
}

/** Stops every answer of the Stripe sandbox until it is called. */
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

const waitsForStripe = (userId: string) =>
  eventually(async () => {
    const { rowCount } = await server.pool.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%sandbox_stripe%'",
    );
    return (rowCount ?? 0) > 0;
  }, `the call of ${userId} waits for Stripe`);

/** Every row of the spec's table (§8), with the situations that produce it. 499 has no answer: see below. */
const SITUATIONS: Record<Exclude<ErrorStatus, 499>, Record<string, () => Promise<Response>>> = {
  400: {
    "data of another shape": () => callSignedIn({ price: 1 }),
    "a place to return to on another site": () =>
      callSignedIn({ ...checkoutOf(server), success_url: "https://evil.example" }),
    "another method": () => fetch(`${server.origin}/functions/us-central1/createCheckoutSession`),
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
  },
  404: {
    "a price that is not on sale": () => callSignedIn(checkoutOf(server, "price_of_salt")),
    "a region we do not serve": () =>
      fetch(`${server.origin}/functions/europe-west1/createCheckoutSession`, { method: "POST" }),
    "a path below a function": () =>
      fetch(`${server.origin}/functions/us-central1/createCheckoutSession/now`, { method: "POST" }),
  },
  409: {
    "somebody who has a paid plan": async () => {
      const { cookie } = await signedIn();
      const { data } = await (await call(server, checkoutOf(server), cookie)).json();
      await pay(data.url);
      return call(server, checkoutOf(server), cookie);
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
    "payments are not set up": async () => {
      const { cookie } = await createSignedInUser(withoutPayments.pool);
      const here = { ...withoutPayments, origin: `http://127.0.0.1:${withoutPayments.port}` };
      const headers = { cookie, origin: "http://localhost", "content-type": "application/json" };
      const body = JSON.stringify({ data: checkoutOf({ ...here, origin: "http://localhost" }) });
      return fetch(`${here.origin}/functions/us-central1/createCheckoutSession`, {
        method: "POST",
        headers,
        body,
      });
    },
  },
  503: {
    "Stripe is away": async () => {
      await control(server, { api: "down" });
      const response = await callSignedIn();
      await control(server, { api: "up" });
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
      const answerAgain = await silenceStripe();
      const response = await callSignedIn();
      await answerAgain();
      return response;
    },
  },
};

for (const [row, situations] of Object.entries(SITUATIONS)) {
  describe(`${row} ${codeOf(Number(row))}`, () => {
    test.each(Object.entries(situations))("%s", async (_situation, produce) => {
      const response = await produce();
      const { error } = await response.json();
      const word = codeOf(Number(row)).toUpperCase().replace("-", "_");
      expect([response.status, error]).toEqual([
        Number(row),
        { status: word, message: expect.stringMatching(/\w/) },
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
    await waitsForStripe(id);
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
    const again = await (await call(server, checkoutOf(server), cookie)).json();
    expect(again.data.url).toContain(session);
    expect(await kept()).toEqual([{ session_id: session }]);
  });
});

test("no row of the table is left out", () => {
  const shown = [...Object.keys(SITUATIONS), "499"].sort();
  expect(shown).toEqual(Object.keys(CODE_BY_STATUS).sort());
});
