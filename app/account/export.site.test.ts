import { readFileSync } from "node:fs";
import { is } from "drizzle-orm";
import { getTableConfig, PgTable } from "drizzle-orm/pg-core";
import { beforeAll, expect, test } from "vitest";
import { allJobsDone, call, checkoutOf, eventually, pay, postForm } from "../../test/http.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import {
  connectProvider,
  get,
  type Person,
  sessionTokenOf,
  signInAgain,
  signUp,
  verify,
} from "../../test/users.ts";
import * as schema from "../schema.ts";
import { placeToken } from "../waitlist/place-token.server.ts";
import { OUTLIVES_ACCOUNT, PERSONAL_COLUMNS } from "./personal-columns.fixture.ts";
import { leaveTracesEverywhere, tracesOf } from "./personal-traces.fixture.ts";

const PRIVACY = readFileSync("app/marketing/legal/privacy.md", "utf8").replaceAll(/\s+/g, " ");

/** Every column that is in a user's copy. */
const IN_COPY = Object.entries(PERSONAL_COLUMNS).flatMap(([table, columns]) =>
  Object.entries(columns).flatMap(([column, place]) =>
    "inCopy" in place ? [{ table, column, ...place }] : [],
  ),
);

const server = setupServer({ PRODUCT_NAME: 'My "Own" Wörds' });
let person: Person;
/** What would lead to them, wherever it stood. */
let needles: string[];

beforeAll(async () => {
  person = await signUp(server);
  // Of whom nothing may be in the copy.
  await signUp(server);
  needles = await leaveTracesEverywhere(server, person);
});

test("every column of the database is placed towards the person it is about, a new one as well", () => {
  const columns = Object.values(schema)
    .filter((table) => is(table, PgTable))
    .map((table) => getTableConfig(table))
    .flatMap(({ name, columns }) => columns.map((column) => `${name}.${column.name}`));
  const placed = Object.entries(PERSONAL_COLUMNS).flatMap(([table, columns]) =>
    Object.keys(columns).map((column) => `${table}.${column}`),
  );
  const how = "add it to personal-columns.fixture.ts, and to the copy, the deletion and the privacy text";
  expect(
    columns.filter((column) => !placed.includes(column)),
    `not placed yet: ${how}`,
  ).toEqual([]);
  expect(
    placed.filter((column) => !columns.includes(column)),
    "there is no such column any more",
  ).toEqual([]);
});

test("the copy has everything the database has about a user", async () => {
  const copy = JSON.parse(await (await get(server, "/account/export", person.cookie)).text());
  for (const { table, column, inCopy } of IN_COPY) {
    const { rows } = await server.pool.query(
      `SELECT ${column} AS value FROM "${table}" WHERE ${ownedBy(table, column)}`,
      [["waitlist", "contact_messages", "mails"].includes(table) ? person.email : person.id],
    );
    const kept = rows.map(({ value }) => JSON.stringify(asCopied(value))).filter((value) => value !== "null");
    expect(kept, `this test gives ${table}.${column} a value`).not.toEqual([]);
    const copied = valuesAt(copy, inCopy.split("."))
      .map((value) => JSON.stringify(value))
      .filter((value) => value !== "null");
    expect(new Set(copied), `${table}.${column} in the copy, at ${inCopy}`).toEqual(new Set(kept));
  }
});

/** What the database has as bytes is in the copy as a link that browsers open. */
const asCopied = (value: unknown) =>
  Buffer.isBuffer(value) ? `data:image/jpeg;base64,${value.toString("base64")}` : value;

test("the privacy text names what is kept", () => {
  for (const { table, column, privacy } of IN_COPY)
    expect(PRIVACY.includes(privacy), `"${privacy}", for ${table}.${column}`).toBe(true);
});

test("there is no column for an IP address or for a provider's tokens", () => {
  const columns = Object.values(PERSONAL_COLUMNS).flatMap(Object.keys);
  expect(columns.filter((column) => /ip_address|(access|refresh|id)_token|scope/.test(column))).toEqual([]);
});

// The last one: it deletes the account that the others look at.
test("after the deletion nothing anywhere leads to the person, but for what is said to outlive them", async () => {
  expect(await tracesOf(server, needles)).toEqual(
    expect.arrayContaining(["user.email", "account.account_id"]),
  );
  const { rows } = await server.pool.query("SELECT id FROM stripe_subscriptions WHERE user_id = $1", [
    person.id,
  ]);
  const answer = await postForm(
    server,
    "/account/delete",
    { email: person.email, subscription: rows[0].id },
    person.cookie,
  );
  expect(answer.headers.get("location")).toBe("/account/deleted");
  await allJobsDone(server);
  const atStripe = await server.pool.query(
    "SELECT FROM sandbox_stripe.objects WHERE id = ANY($1) AND object->>'deleted' = 'true'",
    [needles],
  );
  expect(atStripe.rowCount).toBe(1);
  const left = await tracesOf(server, needles);
  expect(new Set(left.map((column) => column.split(".")[0]))).toEqual(new Set(Object.keys(OUTLIVES_ACCOUNT)));
});

test("the export says all that is kept, and nothing that would let its reader in", async () => {
  const person = await signUp(server);
  await verify(server, person);
  await signInAgain(server, person.email);
  await connectProvider(server, person, "google");
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
    profile: { id: person.id, email: person.email, name: "Ada Lovelace", emailVerified: true },
    signInMethods: { hasPassword: true, connected: [{ provider: "google" }] },
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
    `SELECT token_hash AS secret FROM session UNION ALL SELECT password FROM account WHERE password IS NOT NULL
     UNION ALL SELECT token_hash FROM mail_links`,
  );
  const { rows: places } = await server.pool.query("SELECT id FROM waitlist");
  const secrets = [
    ...rows.map(({ secret }) => secret),
    ...places.map(({ id }) => placeToken(id, { authSecret: AUTH_SECRET })),
  ];
  expect(secrets.length).toBeGreaterThan(4);
  for (const secret of secrets) expect(text).not.toContain(secret);
  expect(text).not.toContain(sessionTokenOf(person.cookie));
});

test("what came from an address is there only once the address is confirmed", async () => {
  const [person, other] = [await signUp(server), await signUp(server)];
  await postForm(server, "/waitlist", { email: person.email, name: "Another name" });
  const before = JSON.parse(await (await get(server, "/account/export", person.cookie)).text());
  expect(before).not.toHaveProperty("waitlist");
  expect(before).not.toHaveProperty("messages");
  await verify(server, other);
  const others = await (await get(server, "/account/export", other.cookie)).text();
  expect(others).not.toContain(person.email);
  expect(JSON.parse(others)).toMatchObject({ waitlist: null, messages: [], subscription: null });
});

/** The condition on a table for a user's rows, by id or address. */
function ownedBy(table: string, column: string): string {
  if (table === "user") return "id = $1";
  if (table === "waitlist" || table === "contact_messages") return "lower(email) = $1";
  if (table === "mails") return "recipient = $1";
  if (table === "redeemed_addresses") return "grant_id IN (SELECT id FROM grants WHERE user_id = $1)";
  if (table === "stripe_events")
    return "customer_id = (SELECT stripe_customer_id FROM customers WHERE user_id = $1)";
  // One table holds the password and what is connected.
  if (table === "account")
    return `user_id = $1 AND provider_id ${column === "updated_at" ? "=" : "<>"} 'credential'`;
  return "user_id = $1";
}

/** What a path like `sessions[].userAgent` leads to, through every member of a list. */
function valuesAt(from: unknown, [step, ...further]: string[]): unknown[] {
  if (step === undefined) return [from];
  const next = (from as Record<string, unknown> | null)?.[step.replace("[]", "")];
  const members = step.endsWith("[]") ? (next as unknown[]) : [next];
  return members.flatMap((member) => valuesAt(member, further));
}
