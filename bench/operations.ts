import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import Stripe from "stripe";
import { readConfig } from "../app/config/config.server.ts";
import { asClient } from "../test/http.ts";
import { dataPath } from "../test/router.ts";
import { AUTH_SECRET } from "../test/server.ts";
import { createPerson, createSignedInUsers as createUsers, PASSWORD } from "../test/users.ts";
import type { Sent } from "./load.ts";

/** Something people or Stripe ask of the site, whose cost is measured. */
export interface Operation {
  name: string;
  /** How many at once while it is measured: enough that none waits for nothing, too few for a queue. */
  atOnce: number;
  /** Makes what so many of them need. @returns what is sent, each time for somebody else */
  prepare(pool: Pool, count: number): Promise<(index: number, origin: string) => Sent>;
}

const PUBLIC_PAGE = "a public page";
const SIGN_IN = "a sign-in";
export const DASHBOARD = "the dashboard";
export const REDEMPTION = "a redemption, a code each";
const HOT_REDEMPTION = "a redemption of one hot code, 64 at a time";
const WEBHOOK = "a webhook, acknowledged";
const JOIN = "joining the waitlist";
/** The names as the tables have them. */
export const NAMES = { PUBLIC_PAGE, SIGN_IN, REDEMPTION, WEBHOOK, JOIN };

const BROTLI = { "accept-encoding": "br" };
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const READERS = 200;

export const OPERATIONS: Operation[] = [
  {
    name: PUBLIC_PAGE,
    atOnce: 16,
    prepare: async () => () => ({ method: "GET", path: "/", headers: BROTLI, status: 200 }),
  },
  {
    name: DASHBOARD,
    // As many as arrive together under load, when they share their look-ups.
    atOnce: 16,
    async prepare(pool) {
      const users = await createSignedInUsers(pool, READERS);
      await pool.query(`INSERT INTO promo_codes (code, duration_type) VALUES ('READERS', 'months')`);
      await pool.query(
        `INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at)
         SELECT id, id, 'premium', 'promo', 'READERS', now() + interval '90 days' FROM unnest($1::text[]) AS id`,
        [users.map(({ id }) => id)],
      );
      await pool.query("UPDATE promo_codes SET used_count = $1 WHERE code = 'READERS'", [users.length]);
      return (index) => ({
        method: "GET",
        path: "/dashboard",
        headers: { ...BROTLI, cookie: users[index % users.length]?.cookie ?? "" },
        status: 200,
      });
    },
  },
  {
    name: SIGN_IN,
    atOnce: 2,
    async prepare(pool) {
      const emails: string[] = [];
      for (let person = 0; person < READERS; person++) emails.push((await createPerson(pool)).email);
      return (index, origin) =>
        form(origin, "/login", { email: emails[index % emails.length] ?? "", password: PASSWORD }, 303);
    },
  },
  {
    name: REDEMPTION,
    atOnce: 4,
    async prepare(pool, count) {
      const prefix = newPrefix();
      await pool.query(
        "INSERT INTO promo_codes (code, duration_type, max_uses) SELECT $1 || i, 'months', 1 FROM generate_series(0, $2::int - 1) AS i",
        [prefix, count],
      );
      return redeeming(await createSignedInUsers(pool, count), (index) => `${prefix}${index}`);
    },
  },
  {
    name: HOT_REDEMPTION,
    atOnce: 64,
    async prepare(pool, count) {
      const code = newPrefix();
      await pool.query("INSERT INTO promo_codes (code, duration_type) VALUES ($1, 'months')", [code]);
      return redeeming(await createSignedInUsers(pool, count), () => code);
    },
  },
  {
    name: WEBHOOK,
    atOnce: 4,
    async prepare(pool) {
      const users = await createSignedInUsers(pool, READERS);
      await pool.query(
        `INSERT INTO customers (user_id, stripe_customer_id, synced_at) SELECT id, 'cus_' || id, now() FROM unnest($1::text[]) AS id`,
        [users.map(({ id }) => id)],
      );
      const { payments } = readConfig({ AUTH_SECRET });
      const secret = payments.mode === "sandbox" ? payments.webhookSecret : "";
      return (index) => {
        const customer = `cus_${users[index % users.length]?.id}`;
        const payload = JSON.stringify(eventOf(customer));
        const signature = Stripe.webhooks.generateTestHeaderString({ payload, secret });
        const headers = { "content-type": "application/json", "stripe-signature": signature };
        return { method: "POST", path: "/webhooks/stripe", headers, body: payload, status: 200 };
      };
    },
  },
  {
    name: JOIN,
    atOnce: 4,
    prepare: async () => (_, origin) =>
      form(origin, "/waitlist", { email: `${randomUUID()}@example.com` }, 303),
  },
];

/** By the router of /subscription, as nearly everybody does. */
function redeeming(users: readonly { cookie: string }[], codeOf: (index: number) => string) {
  const path = dataPath("/subscription");
  return (index: number, origin: string) => {
    const user = users[index];
    if (!user) throw new Error(`only ${users.length} people were prepared, and each redeems once`);
    return form(origin, path, { form: "promo", code: codeOf(index) }, 200, { cookie: user.cookie });
  };
}

/** A form as a browser sends it, by a client the limits have never heard of. */
function form(
  origin: string,
  path: string,
  fields: Record<string, string>,
  status: number,
  more: Record<string, string> = {},
): Sent {
  const headers = { ...BROTLI, ...FORM, ...asClient(), origin, ...more };
  return { method: "POST", path, headers, body: new URLSearchParams(fields).toString(), status };
}

/** Of an invoice that was paid, in Stripe's form and about as long. */
const eventOf = (customer: string) => ({
  id: `evt_${randomUUID().replaceAll("-", "")}`,
  object: "event",
  type: "invoice.paid",
  created: Math.floor(Date.now() / 1000),
  data: { object: { id: "in_1", object: "invoice", customer, lines: "x".repeat(4000) } },
});

/** Signed in a moment ago: a session that is about to end is renewed by the first request, which others do not pay for. */
async function createSignedInUsers(pool: Pool, count: number): Promise<{ id: string; cookie: string }[]> {
  const users = await createUsers(pool, count);
  await pool.query("UPDATE session SET expires_at = now() + interval '30 days' WHERE user_id = ANY ($1)", [
    users.map(({ id }) => id),
  ]);
  return users;
}

const newPrefix = () => `B${randomUUID().slice(0, 8).toUpperCase()}`;
