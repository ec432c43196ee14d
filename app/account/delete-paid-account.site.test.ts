import { expect, test } from "vitest";
import { call, checkoutOf, control, eventually, mainOf, pay } from "../../test/http.ts";
import { mailsTo, mailTo } from "../../test/mail.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import { createPerson, get, isSignedIn, type Person } from "../../test/users.ts";
import { connectPayments } from "../billing/stripe.server.ts";
import { readConfig } from "../config/config.server.ts";
import { connect, endPool } from "../db/client.server.ts";
import { mergeErasures } from "../db/erasures.server.ts";
import { findViolations } from "../db/invariants.server.ts";
import { createLog } from "../log/log.server.ts";
import { replayErasures } from "../replay-erasures.server.ts";
import { REFUND_PROMISE } from "../ui/offer.ts";
import { deletionsOn } from "./deletions.fixture.ts";

const server = setupServer();

const { remove, exists, openCheckout, payFor, traces } = deletionsOn(server);

/** What Stripe has of a kind for a customer. */
async function atStripe(kind: string, customer: string): Promise<string[]> {
  const { rows } = await server.pool.query(
    "SELECT object->>'status' AS status FROM sandbox_stripe.objects WHERE kind = $1 AND object->>'customer' = $2",
    [kind, customer],
  );
  return rows.map(({ status }) => status);
}

async function customerOf({ id }: Person): Promise<string> {
  const { rows } = await server.pool.query("SELECT stripe_customer_id FROM customers WHERE user_id = $1", [
    id,
  ]);
  return rows[0].stripe_customer_id;
}

const isGoneAtStripe = (customer: string) =>
  eventually(async () => {
    const { rows } = await server.pool.query(
      "SELECT object->>'deleted' AS deleted FROM sandbox_stripe.objects WHERE id = $1",
      [customer],
    );
    return rows[0].deleted === "true";
  }, "the customer being deleted at Stripe");

test("a paid plan ends at once, the customer is deleted, and what Stripe tells afterwards does no harm", async () => {
  const person = await createPerson(server.pool);
  const subscription = await payFor(person);
  const customer = await customerOf(person);
  const page = await mainOf(await get(server, "/account/delete", person.cookie));
  expect(page).toContain("CSV + Banking ends right away, and nothing more will be charged.");
  expect(page).toContain(`value="${subscription}"`);

  expect((await remove(person, subscription)).status).toBe(303);
  expect(await exists(person)).toBe(false);
  expect(await traces(person.id)).toBe(0);
  expect(await atStripe("subscription", customer)).toEqual(["canceled"]);
  const { text } = await mailTo(server, person.email, /^Your account is deleted$/);
  expect(text.replaceAll(/\s+/g, " ")).toMatch(/Want a refund\? Email \S+@\S+\. Get a full refund/);
  expect(text.replaceAll(/\s+/g, " ")).toContain(REFUND_PROMISE);
  await isGoneAtStripe(customer);
  await eventually(async () => {
    const { rows } = await server.pool.query(
      `SELECT (SELECT count(*) FROM sandbox_stripe.deliveries)::int + (SELECT count(*) FROM outbox WHERE done_at IS NULL)::int AS left`,
    );
    return rows[0].left === 0;
  }, "all news of Stripe being handled");
});

test("a page that could be paid on is closed", async () => {
  const person = await createPerson(server.pool);
  const checkout = await openCheckout(person);
  const customer = await customerOf(person);
  expect((await remove(person)).status).toBe(303);
  expect(await exists(person)).toBe(false);
  await pay(checkout);
  expect(await atStripe("checkout.session", customer)).toEqual(["expired"]);
  expect(await atStripe("subscription", customer)).toEqual([]);
  await isGoneAtStripe(customer);
});

test("a payment its owner was not shown stops the deletion; shown, it does not", async () => {
  const person = await createPerson(server.pool);
  await control(server, { webhooks: "hold" });
  try {
    await pay(await openCheckout(person));
    const refused = await remove(person);
    expect(refused.status).toBe(409);
    const page = await mainOf(refused);
    expect(page).toContain("A payment from you just came in.");
    expect(page).toContain("CSV + Banking ends right away");
    expect(await exists(person)).toBe(true);
    expect(await atStripe("subscription", await customerOf(person))).toEqual(["active"]);
    const subscription = /name="subscription" value="(\w+)"/.exec(page)?.[1];
    expect((await remove(person, subscription)).status).toBe(303);
    expect(await exists(person)).toBe(false);
  } finally {
    await control(server, { webhooks: "deliver" });
  }
});

test("while Stripe is away nothing is deleted and nothing ends; a moment later all of it", async () => {
  const person = await createPerson(server.pool);
  const subscription = await payFor(person);
  const customer = await customerOf(person);
  await control(server, { api: "down" });
  try {
    const refused = await remove(person, subscription);
    expect(refused.status).toBe(503);
    expect(await mainOf(refused)).toContain("We couldn’t reach our payment provider. Try again in a moment.");
    expect(await exists(person)).toBe(true);
    expect(await isSignedIn(server, person.cookie)).toBe(true);
    expect(await atStripe("subscription", customer)).toEqual(["active"]);
    // Without a payment page there is nothing at Stripe.
    expect((await remove(await createPerson(server.pool))).status).toBe(303);
  } finally {
    await control(server, { api: "up" });
  }
  expect((await remove(person, subscription)).status).toBe(303);
  expect(await atStripe("subscription", customer)).toEqual(["canceled"]);
});

test("paying and deleting at the same moment: after a payment the account is there, without an account nothing is paid", async () => {
  const outcomes: string[] = [];
  // Which of the two comes first is the subject, so each round gives the deletion a little more of a start.
  for (let round = 0; round < 12; round++) {
    const person = await createPerson(server.pool);
    const checkout = await openCheckout(person);
    const customer = await customerOf(person);
    const [answer] = await Promise.all([
      remove(person),
      new Promise((resolve) => setTimeout(resolve, round * 2)).then(() => pay(checkout)),
    ]);
    const isDeleted = !(await exists(person));
    expect([answer.status, isDeleted]).toEqual(isDeleted ? [303, true] : [409, false]);
    expect(await atStripe("subscription", customer)).toEqual(isDeleted ? [] : ["active"]);
    outcomes.push(isDeleted ? "deleted" : "paid");
  }
  console.log(`paying while deleting: ${outcomes.join(", ")}`);
});

test("going to pay while deleting leaves no page to pay on and no customer behind", async () => {
  for (let round = 0; round < 5; round++) {
    const person = await createPerson(server.pool);
    const [removed, ...opened] = await Promise.all([
      remove(person),
      ...Array.from({ length: 6 }, () => call(server, checkoutOf(server), person.cookie)),
    ]);
    if (removed?.status !== 303) expect((await remove(person)).status).toBe(303);
    expect(await exists(person)).toBe(false);
    for (const answer of opened) {
      const { result } = (await answer.json()) as { result?: { url: string } };
      if (result) await pay(result.url);
    }
    const { rows } = await server.pool.query(
      `SELECT kind FROM sandbox_stripe.objects AS thing
       WHERE kind IN ('subscription', 'checkout.session') AND object->>'status' IN ('active', 'complete')
         AND object->>'customer' IN (SELECT id FROM sandbox_stripe.objects WHERE object->'metadata'->>'user_id' = $1)`,
      [person.id],
    );
    expect(rows).toEqual([]);
    await eventually(async () => {
      const { rowCount } = await server.pool.query(
        "SELECT FROM sandbox_stripe.objects WHERE kind = 'customer' AND object->'metadata'->>'user_id' = $1",
        [person.id],
      );
      return rowCount === 0;
    }, "every customer of theirs being deleted at Stripe");
  }
});

test("whom a restored backup has brought back is deleted again, at Stripe as well, and is not written to again", async () => {
  const [person, gone] = [await createPerson(server.pool), await createPerson(server.pool)];
  const [subscription, customer] = [await payFor(person), await customerOf(person)];
  await payFor(gone);
  const { db, pool } = connect(String(server.pool.options.connectionString), 2, () => {});
  const config = readConfig({ AUTH_SECRET });
  const payments = connectPayments(config.payments, `${server.origin}/sandbox/stripe`);
  if (!payments.isOn) throw new Error("payments are off");
  const replay = () => replayErasures({ config, db, payments, log: createLog("silent") });
  expect(await replay()).toEqual({ accounts: 0, places: 0, left: 0 });
  await control(server, { webhooks: "hold" });
  // As after the first deletion, of which the backup does not know.
  await payments.stripe.customers.del(await customerOf(gone));
  await mergeErasures(db, [
    { subject: "user", id: person.id },
    { subject: "user", id: gone.id },
  ]);
  await control(server, { api: "down" });
  expect(await replay()).toEqual({ accounts: 0, places: 0, left: 2 });
  expect((await findViolations(server.pool)).map(({ rule }) => rule)).toEqual([
    "users deleted at their own request are gone, also after a backup was restored",
  ]);
  await control(server, { api: "up" });
  expect(await replay()).toEqual({ accounts: 2, places: 0, left: 0 });
  await control(server, { webhooks: "deliver" });
  expect([await traces(person.id), await traces(gone.id)]).toEqual([0, 0]);
  expect(subscription).toMatch(/^sub_/);
  expect(await atStripe("subscription", customer)).toEqual(["canceled"]);
  await isGoneAtStripe(customer);
  const { rows } = await pool.query(
    "SELECT FROM outbox WHERE payload::text LIKE '%Your account is deleted%' AND done_at IS NULL",
  );
  expect(rows).toEqual([]);
  const subjects = (await mailsTo(server, person.email)).map((mail) => mail.subject);
  expect(subjects).not.toContain("Your account is deleted");
  await endPool(pool);
});
