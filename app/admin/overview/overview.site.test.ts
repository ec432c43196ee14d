import { expect, test } from "vitest";
import { eventually, mainOf } from "../../../test/http.ts";
import { createOperator } from "../../../test/operator.ts";
import { setupServer } from "../../../test/server.fixture.ts";
import { get } from "../../../test/users.ts";

const server = setupServer({ LOG_LEVEL: "error" });

/** The text of the overview, without its tags. */
async function overview(cookie: string): Promise<string> {
  return textOf(await shown(cookie));
}

async function shown(cookie: string): Promise<string> {
  const page = await get(server, "/admin", cookie);
  expect(page.status).toBe(200);
  return mainOf(page);
}

function textOf(main: string): string {
  return main
    .replaceAll(/<!--.*?-->/g, "")
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ");
}

test("what needs a hand stands on top, and says so when nothing does", async () => {
  const { cookie } = await createOperator(server.pool);
  await eventually(async () => {
    const { rowCount } = await server.pool.query("SELECT FROM daily_figures WHERE name = 'counted'");
    return rowCount === 1;
  }, "the figures are counted");
  expect(await overview(cookie)).toContain("Needs a hand today Nothing.");

  await server.pool.query(`
    INSERT INTO contact_messages (id, name, email, topic, message, content_hash, created_at)
    VALUES ('m', 'Ada', 'ada@example.com', 'idea', 'Hello', 'h', now() - interval '3 hours');
    INSERT INTO mails (id, recipient, subject, given_up_at) VALUES (1, 'ada@example.com', 'Hello', now()),
      (2, 'ada@example.com', 'Hello', now() - interval '8 days');
    INSERT INTO outbox (kind, payload, attempts, created_at, run_at)
    VALUES ('nothing_runs_this', '{}', 6, now() - interval '1 hour', now() - interval '10 minutes');
    INSERT INTO outbox (kind, payload, attempts, created_at, run_at, last_error)
    VALUES ('send_mail', '{}', 7, now() - interval '2 hours', now() + interval '5 minutes', 'connect ECONNREFUSED 10.0.0.25:587');
    INSERT INTO skipped_prices (id, product_name, reason) VALUES ('price_x', 'Old', 'has no tier')`);
  await server.pool.query(
    `INSERT INTO daily_figures (day, name, label, value) SELECT (now() AT TIME ZONE 'UTC')::date, 'compared', label, value
     FROM (VALUES ('customers', 9), ('mended', 2), ('failed', 1), ('orphans', 0)) AS found (label, value)`,
  );
  const main = await shown(cookie);
  const urgent = [...main.matchAll(/<li data-urgent="true">(.*?)<\/li>/g)].map(([, need]) => need ?? "");
  expect(urgent).toEqual([
    expect.stringContaining("mail server isn’t answering"),
    expect.stringContaining("keeps failing"),
    expect.stringContaining("was due"),
  ]);
  const page = textOf(main);
  for (const need of [
    "The mail server isn’t answering. 1 email is stuck, 7 tries in 2 hours.",
    "“Nothing runs this” keeps failing: 6 tries in 1 hour.",
    "A job was due 10 minutes ago, and nothing has taken it.",
    "1 customer couldn’t be compared with Stripe last time.",
    "2 customers differed from Stripe at the last comparison. We corrected them.",
    "1 email couldn’t be delivered this week. The address may not exist.",
    "1 unanswered message. Oldest: 3 hours.",
    "“Old” isn’t on sale here: it has no tier.",
  ])
    expect(page).toContain(need);
  const header = textOf(await (await get(server, "/admin/people", cookie)).text());
  for (const tab of ["Messages 1 unanswered", "Mail 2 not delivered", "Jobs 1 failing"])
    expect(header).toContain(tab);
  await server.pool.query(
    "DELETE FROM skipped_prices; DELETE FROM outbox WHERE kind = 'nothing_runs_this' OR last_error IS NOT NULL",
  );

  await server.pool.query(
    `INSERT INTO daily_figures (day, name, label, value) SELECT (now() AT TIME ZONE 'UTC')::date, 'active', label, 1
     FROM unnest('{premium:admin,basic:promo}'::text[]) AS label
     ON CONFLICT (name, day, label) DO UPDATE SET value = excluded.value`,
  );
  await server.pool.query(
    `INSERT INTO daily_figures (day, name, label, value) SELECT (now() AT TIME ZONE 'UTC')::date, 'waiting', label, value
     FROM (VALUES ('', 40), ('invited', 15)) AS found (label, value)
     ON CONFLICT (name, day, label) DO UPDATE SET value = excluded.value`,
  );
  const plans = await overview(cookie);
  expect(plans).toContain("CSV Only 0 1 0 1 CSV + Banking 0 0 1 1 Total 0 1 1 2");
  expect(plans).toContain("25 waiting, 15 invited");
  expect(plans).toContain("50% have their plan from a promo code");
});

test("the funnel is the same on the page and in its file", async () => {
  const { cookie } = await createOperator(server.pool);
  await server.pool.query(`
    INSERT INTO daily_figures (day, name, label, value) SELECT (now() AT TIME ZONE 'UTC')::date, name, label, value
    FROM (VALUES ('views', '', 7015), ('views', 'page:/', 7000), ('views', 'page:/pricing', 15),
      ('views', 'host:=cmd.example', 7000), ('views', 'host:', 5), ('redeemed', 'code:SPRING', 3), ('paid', 'code:SPRING', 2), ('joined', 'referral', 4)) AS f (name, label, value)`);
  const text = async (path: string) => (await get(server, path, cookie)).text();
  expect(await text("/admin/funnel?by=page")).toMatch(/<td[^>]*>7,000<\/td>/);
  expect(await text("/admin/funnel.csv?by=page&weeks=4")).toBe(
    '"Page","Views"\r\n"/","7000"\r\n"/pricing","15"\r\n',
  );
  expect(await text("/admin/funnel.csv?by=host")).toBe(
    '"Came from","Views"\r\n"\'=cmd.example","7000"\r\n"Other sites","10"\r\n"Directly, or from our own pages","5"\r\n',
  );
  expect(await text("/admin/funnel.csv?by=code")).toBe(
    '"Promo code","Redeemed a code","Payment pages opened","Paid","Stayed a month","Canceled"\r\n"SPRING","3","0","2","0","0"\r\n',
  );
  expect(await text("/admin/funnel?by=code")).toContain('href="/admin/codes/SPRING"');
  expect(await text("/admin/funnel.csv?by=referral")).toContain(
    '"By a friend’s link","4","0","0","0","0","0","0","0","0"\r\n',
  );
  const weeks = (await text("/admin/funnel.csv?by=week&weeks=4")).split("\r\n");
  expect(weeks).toHaveLength(6);
  expect(weeks[1]).toMatch(/^"\d{4}-\d\d-\d\d","7015",/);
  expect((await text("/admin/funnel.csv?by=day&weeks=nonsense")).split("\r\n").length).toBeGreaterThan(78);
});
