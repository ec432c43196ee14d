import { randomUUID } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { mainOf } from "../../../test/http.ts";
import { createOperator } from "../../../test/operator.ts";
import { openPayer } from "../../../test/plan-states.ts";
import { setupServer } from "../../../test/server.fixture.ts";
import { createPerson, get, type Person, verify } from "../../../test/users.ts";

const server = setupServer();
let operator: Person;

beforeAll(async () => {
  operator = await createOperator(server.pool);
  await server.pool.query(
    `INSERT INTO "user" (id, name, email, created_at)
     SELECT 'many-' || lpad(i::text, 3, '0'), CASE WHEN i % 2 = 0 THEN 'Grace Hopper' ELSE '=cmd|calc' END,
       'many+' || lpad(i::text, 3, '0') || '_%@example.com', now() - interval '2 days' + make_interval(secs => i / 3)
     FROM generate_series(1, 120) AS i`,
  );
  await server.pool.query(
    `INSERT INTO account (id, account_id, provider_id, user_id)
     SELECT id, id, 'google', id FROM "user" WHERE id LIKE 'many-%'`,
  );
});

const look = (path: string) => get(server, path, operator.cookie);

/** Every row of a list, page by page by its own links. */
async function walk(path: string): Promise<string[]> {
  const ids: string[] = [];
  for (let next: string | undefined = path; next; ) {
    const page = await mainOf(await look(next));
    ids.push(...[...page.matchAll(/href="\/admin\/people\/([\w-]+)"/g)].map(([, id]) => id ?? ""));
    const query =
      />Previous page<\/a><a href="([^"]+)"|<nav aria-label="Pages"[^>]*><a href="([^"]+)"[^>]*>Next: /.exec(
        page,
      );
    const link = query?.[1] ?? query?.[2];
    next = link?.replaceAll("&amp;", "&").replace(/^\?/, "/admin/people?");
  }
  return ids;
}

const expected = async (order: string) => {
  const { rows } = await server.pool.query(`SELECT id FROM "user" ${order}`);
  return rows.map(({ id }) => id);
};

test("all users are listed once, newest first, and found by address or its beginning", async () => {
  expect(await walk("/admin/people")).toEqual(await expected("ORDER BY created_at DESC, id DESC"));
  expect(await walk("/admin/people?sort=email")).toEqual(await expected("ORDER BY email, id"));
  expect(await walk("/admin/people?email=MANY%2B1")).toEqual(
    await expected(`WHERE email LIKE 'many+1%' ORDER BY created_at DESC, id DESC`),
  );
  expect(await walk("/admin/people?name=grace")).toEqual(
    await expected(`WHERE name = 'Grace Hopper' ORDER BY created_at DESC, id DESC`),
  );
  // What stands for anything in a pattern is a letter like any other.
  expect(await walk("/admin/people?email=many%2B001_%25")).toEqual(["many-001"]);
  expect(await walk("/admin/people?email=%25")).toEqual([]);
});

test("a page of the list says where it is, and of how many", async () => {
  const first = await mainOf(await look("/admin/people?email=many"));
  expect(first).toContain("1–50 of 120 people");
  const follow = async (page: string, words: string) => {
    const [, link = ""] =
      new RegExp(`href="([^"]+)"[^>]*>${words}`).exec(page.split('aria-label="Pages"')[1] ?? "") ?? [];
    return mainOf(await look(link.replaceAll("&amp;", "&").replace(/^\?/, "/admin/people?")));
  };
  const second = await follow(first, "Next: 51–100<");
  expect(second).toContain("51–100 of 120 people");
  expect(await follow(second, "Next: 101–120<")).toContain("101–120 of 120 people");
  expect(await follow(await follow(second, "Next: 101–120<"), "Previous page")).toContain(
    "51–100 of 120 people",
  );
});

test("those who pay and those who redeemed a code, each with the plan they have", async () => {
  const payer = await openPayer(server);
  await verify(server, payer);
  const redeemer = await createPerson(server.pool);
  await server.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, promo_code, expires_at)
     VALUES ($1, $3, 'basic', 'promo', 'WELCOME', now() + interval '1 day'),
       ($2, $3, 'premium', 'promo', 'ONEUSE', now() + interval '1 day')`,
    [randomUUID(), randomUUID(), redeemer.id],
  );
  await server.pool.query(
    "UPDATE promo_codes SET used_count = used_count + 1 WHERE code IN ('WELCOME', 'ONEUSE')",
  );
  expect(await walk("/admin/people?holds=paid")).toEqual([payer.id]);
  expect(await walk("/admin/people?holds=promo")).toEqual([redeemer.id]);
  const today = new Date().toISOString().slice(0, 10);
  expect(await walk(`/admin/people?holds=paid&plan=premium&confirmed=yes&from=${today}&to=${today}`)).toEqual(
    [payer.id],
  );
  for (const other of ["plan=basic", "holds=none", "confirmed=no", "to=2020-01-01", "trouble=payment"])
    expect(await walk(`/admin/people?${other}&email=${encodeURIComponent(payer.email)}`)).toEqual([]);
  await server.pool.query(
    "UPDATE stripe_invoices SET status = 'open', attempt_count = 2, next_attempt_at = NULL WHERE user_id = $1",
    [payer.id],
  );
  expect(await walk("/admin/people?trouble=payment&holds=paid")).toEqual([payer.id]);
  expect(await mainOf(await look("/admin/people?holds=paid"))).toContain("Payment failed");
  expect(await mainOf(await look("/admin"))).toMatch(
    /1 overdue payment, no longer retried: \$\d+\.99\. Oldest: /,
  );
  await server.pool.query("UPDATE stripe_invoices SET status = 'paid' WHERE user_id = $1", [payer.id]);
  const page = await mainOf(await look("/admin/people?holds=promo"));
  expect(page).toContain("CSV + Banking");
  expect(page).toContain("ONEUSE");
  await server.pool.query("UPDATE grants SET revoked_at = now() WHERE user_id = $1", [redeemer.id]);
  expect(await mainOf(await look("/admin/people?holds=promo"))).toContain("No people like that.");
});

test("a search leads to what it can only mean, and offers a choice otherwise", async () => {
  const person = await createPerson(server.pool);
  await server.pool.query(`UPDATE "user" SET name = 'Zora Neale' WHERE id = $1`, [person.id]);
  const { rows } = await server.pool.query("SELECT id FROM session WHERE user_id = $1", [person.id]);
  const grant = randomUUID();
  await server.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, expires_at) VALUES ($1, $2, 'basic', 'admin', now())`,
    [grant, person.id],
  );
  await server.pool.query(
    "INSERT INTO mails (id, recipient, subject) VALUES (-1, $1, 'Hello'), (-2, $2, 'Hi')",
    [person.email, "stranger@example.com"],
  );
  const page = `/admin/people/${person.id}`;
  for (const [words, place] of [
    [person.email.toUpperCase(), page],
    [`  ${person.email} `, page],
    [person.email.slice(0, 20), page],
    ["zora", page],
    [person.id, page],
    [rows[0].id, page],
    [grant, page],
    ["welcome", "/admin/codes/WELCOME"],
    ["price_csv_only_monthly", "/admin/plans"],
    ["stranger@example.com", "/admin/mail?recipient=stranger%40example.com"],
  ] as const) {
    const answer = await look(`/admin/search?${new URLSearchParams({ q: words })}`);
    expect([words, answer.status, answer.headers.get("location")]).toEqual([words, 303, place]);
  }
  const choice = await mainOf(await look("/admin/search?q=many"));
  expect([...choice.matchAll(/<a href="\/admin\/people\//g)]).toHaveLength(20);
  expect(choice).toContain('href="/admin/people?email=many"');
  expect(choice).toContain("<h2>More than 20 people</h2>");
  expect(choice).toContain("<span>Grace Hopper </span><span>No plan </span>");
  expect(await mainOf(await look("/admin/search?q=nobody-at-all"))).toContain("Nothing found for");
  for (const odd of ["", "%25", "_", "%00", "a".repeat(5000), "'"])
    expect([odd, (await look(`/admin/search?q=${odd}`)).status]).toEqual([odd, 200]);
});

test("whatever Stripe numbers leads to whose it is", async () => {
  const payer = await openPayer(server);
  const { rows } = await server.pool.query(
    `SELECT id, number, payment_intent_id AS payment FROM stripe_invoices WHERE user_id = $1`,
    [payer.id],
  );
  const session = await server.pool.query("SELECT session_id FROM checkout_attempts WHERE user_id = $1", [
    payer.id,
  ]);
  const events = await server.pool.query("SELECT id FROM stripe_events WHERE customer_id = $1", [
    payer.customer,
  ]);
  expect(events.rowCount).toBeGreaterThan(2);
  const charge = await server.pool.query(
    `SELECT id FROM sandbox_stripe.objects WHERE id LIKE 'ch_%' AND object->>'customer' = $1`,
    [payer.customer],
  );
  const ids = [payer.customer, payer.subscription, rows[0].payment, session.rows[0].session_id];
  for (const id of [...ids, events.rows[0].id, charge.rows[0].id]) {
    const answer = await look(`/admin/search?q=${id}`);
    expect([id, answer.headers.get("location")]).toEqual([id, `/admin/people/${payer.id}`]);
  }
  // An invoice also by the number on it, however it is typed.
  const [{ id, number }] = rows;
  for (const typed of [id, number, number.toLowerCase()]) {
    const answer = await look(`/admin/search?q=${typed}`);
    expect([typed, answer.headers.get("location")]).toEqual([typed, `/admin/people/${payer.id}#payments`]);
  }
});
