import { afterAll, beforeAll, expect, test } from "vitest";
import { call, checkoutOf, eventually, pay, postForm } from "../../../test/http.ts";
import { startServer, type TestServer } from "../../../test/server.ts";
import { connectProvider, get, signInAgain, signUp, verify } from "./test-people.ts";

let server: TestServer;

beforeAll(async () => {
  server = await startServer({ PRODUCT_NAME: 'My "Own" Wörds' });
});

afterAll(() => server.stop());

test("the export says all that is kept, and nothing that would let its reader in", async () => {
  const person = await signUp(server);
  await verify(server, person);
  await signInAgain(server, person.email);
  const google = await connectProvider(server, person, "google");
  await server.pool.query(
    "UPDATE account SET access_token = 'secret-access', refresh_token = 'secret-refresh', id_token = 'secret-id' WHERE id = $1",
    [google],
  );
  await postForm(server, "/test-promo", { form: "promo", code: "WELCOME" }, person.cookie);
  const { result } = (await (await call(server, checkoutOf(server), person.cookie)).json()) as {
    result: { url: string };
  };
  await pay(result.url);
  await eventually(
    async () =>
      (await server.pool.query("SELECT FROM stripe_subscriptions WHERE user_id = $1", [person.id]))
        .rowCount === 1,
    "the subscription",
  );
  await postForm(server, "/waitlist", { email: person.email, name: "Ada" });
  await server.pool.query(
    `INSERT INTO redeemed_addresses (promo_code, email_hash, grant_id)
     SELECT promo_code, 'hash of a former address', id FROM grants WHERE user_id = $1`,
    [person.id],
  );
  await server.pool.query(
    "INSERT INTO contact_messages (id, name, email, topic, message, content_hash) VALUES ($1, 'Ada', $2, 'idea', 'Charts!', $1)",
    [person.id, person.email.toUpperCase()],
  );

  const answer = await get(server, "/account/export", person.cookie);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("cache-control")).toBe("no-store");
  expect(answer.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const today = new Date().toISOString().slice(0, 10);
  expect(answer.headers.get("content-disposition")).toBe(
    `attachment; filename="my-own-w-rds-account-${today}.json"`,
  );
  const text = await answer.text();
  const kept = JSON.parse(text);
  expect(kept).toMatchObject({
    product: 'My "Own" Wörds',
    profile: { id: person.id, email: person.email, name: "Ada", emailVerified: true },
    waysIn: { hasPassword: true, connected: [{ provider: "google" }] },
    subscription: { status: "active" },
    promoCodes: [{ code: "WELCOME", source: "promo", formerEmailHashes: ["hash of a former address"] }],
    payments: {
      stripeCustomer: expect.stringMatching(/^cus_/),
      subscriptions: [{ price: "price_csv_banking_yearly", status: "active" }],
      paymentPages: [{ price: "price_csv_banking_yearly" }],
    },
    waitlist: { name: "Ada" },
    messages: [{ message: "Charts!" }],
  });
  expect(kept.sessions).toHaveLength(2);

  const { rows } = await server.pool.query(
    `SELECT token AS secret FROM session UNION ALL SELECT password FROM account WHERE password IS NOT NULL
     UNION ALL SELECT token FROM waitlist UNION ALL SELECT token_hash FROM mail_links`,
  );
  expect(rows.length).toBeGreaterThan(4);
  for (const { secret } of rows) expect(text).not.toContain(secret);
  expect(text).not.toContain("secret-");
});

test("what came from an address is only there for whoever has confirmed it", async () => {
  const [person, other] = [await signUp(server), await signUp(server)];
  await postForm(server, "/waitlist", { email: person.email, name: "Somebody else" });
  const before = JSON.parse(await (await get(server, "/account/export", person.cookie)).text());
  expect(before).not.toHaveProperty("waitlist");
  expect(before).not.toHaveProperty("messages");
  await verify(server, other);
  const others = await (await get(server, "/account/export", other.cookie)).text();
  expect(others).not.toContain(person.email);
  expect(JSON.parse(others)).toMatchObject({ waitlist: null, messages: [], subscription: null });
});
