import { randomUUID } from "node:crypto";
import routes from "../app/routes.ts";
import { createMembers } from "../app/waitlist/members.fixture.ts";
import { routeFiles } from "./entrances.ts";
import { allJobsDone, eventually, postForm } from "./http.ts";
import { createOperator } from "./operator.ts";
import { openPayer } from "./plan-states.ts";
import type { TestServer } from "./server.ts";
import { createSignedInUsers, type Person } from "./users.ts";

/** Queries with which console pages show sample data. */
const QUERIES = new Map([
  ["/admin/search", "?q=gra"],
  ["/admin/people/:id/money", "?do=end&when=now&refund=part&amount=10&preview=1"],
  ["/admin/waitlist/invite", "?count=12&tier=premium&months=1&last_day=2999-01-31"],
  ["/admin/features", "?open=banking_api"],
]);

/** The addresses of the console's pages in routes.ts, with their parameters. */
export function consoleRoutes(): string[] {
  const console = routes.find(({ id }) => id === "console");
  if (!console) throw new Error("routes.ts has no console");
  return routeFiles([console]).map(({ path }) => path);
}

/**
 * A console with something in every list: customers, codes, a waitlist, mail that failed, half a year of figures.
 *
 * @returns its operator, and every page of it by its address in routes.ts
 */
export async function fillConsole(
  server: TestServer,
): Promise<{ operator: Person; pages: Map<string, string> }> {
  const { pool } = server;
  const operator = await createOperator(pool);
  const press = async (path: string, fields: Record<string, string>) => {
    const answer = await postForm(server, path, fields, operator.cookie);
    if (answer.status !== 303) throw new Error(`${path} was answered with ${answer.status}`);
  };
  const payer = await openPayer(server);
  const people = await createSignedInUsers(pool, 60);
  await pool.query(
    `UPDATE "user" SET name = called.name, email = called.email, email_verified = number % 4 > 0
     FROM ${called("$1")} WHERE "user".id = called.id`,
    [people.map(({ id }) => id)],
  );
  const [batch, invitation, message, entry] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];

  await press(`/admin/people/${payer.id}/give`, {
    tier: "basic",
    months: "2",
    reason: "Helped us test",
    grant: randomUUID(),
  });
  await press("/admin/new-code", {
    code: "AUTUMN-FAIR",
    random: "UNUSED",
    tier: "premium",
    months: "3",
    maxUses: "100",
    expires: "2999-01-31",
    note: "For everybody at the fair",
  });
  await redeemOverAMonth(
    server,
    [payer, ...people].map(({ id }) => id),
  );
  await press("/admin/codes/WELCOME", { do: "pause" });
  await press("/admin/batches/new", {
    batch,
    name: "Leaflets, autumn",
    size: "120",
    tier: "basic",
    months: "1",
    maxUses: "1",
  });
  const members = await createMembers(pool, 40, true);
  await createMembers(pool, 3, false);
  await pool.query(
    `UPDATE waitlist SET email = called.email, name = CASE WHEN number % 3 = 0 THEN called.name END
     FROM ${called("$1")} WHERE waitlist.id = called.id`,
    [members.map(({ id }) => id).toReversed()],
  );
  await press("/admin/waitlist/invite", {
    count: "15",
    tier: "premium",
    months: "1",
    invitation,
    confirm: "nothing is open",
  });
  await writeMessages(server, message, payer);
  await press(`/admin/messages/${message}-answered`, { answer: "It is on your dashboard, under Payments." });
  await allJobsDone(server);
  await press("/admin/features", {
    feature: "csv_processing",
    do: "open",
    day: "2999-01-31",
    seen: "",
    sure: "on",
  });
  await press("/admin/changelog", {
    id: entry,
    title: "The first file is read",
    day: "2026-11-26",
    feature: "csv_processing",
    body: "It knows the columns of five banks.",
  });
  await pool.query(
    `UPDATE "user" SET product_news_since = now(), email_verified = true WHERE id = ANY ($1)`,
    [people.map(({ id }) => id)],
  );
  const mail = await failSome(server);
  await pastFigures(server);
  const parameters = new Map(
    Object.entries({
      ":id": payer.id,
      ":code": "AUTUMN-FAIR",
      ":template": "welcomeMessage",
      ":batch": batch,
      ":invitation": invitation,
      ":message": message,
      ":mail": mail,
      ":entry": entry,
    }),
  );
  const withThese = (route: string) =>
    route
      .split("/")
      .map((part) => (part.startsWith(":") ? parameterOf(parameters, part) : part))
      .join("/") + (QUERIES.get(route) ?? "");
  return { operator, pages: new Map(consoleRoutes().map((route) => [route, withThese(route)])) };
}

function parameterOf(parameters: Map<string, string>, name: string): string {
  const value = parameters.get(name);
  if (!value) throw new Error(`say in fillConsole what stands for ${name}`);
  return value;
}

async function redeemOverAMonth({ pool }: TestServer, ids: string[]): Promise<void> {
  await pool.query(
    `INSERT INTO grants (id, user_id, tier, source, promo_code, created_at, expires_at)
     SELECT gen_random_uuid(), id, 'premium', 'promo', 'AUTUMN-FAIR', at, at + interval '3 months'
     FROM unnest($1::text[]) WITH ORDINALITY AS people (id, number),
       LATERAL (SELECT now() - (number * number % 29) * interval '1 day' AS at) AS moment`,
    [ids],
  );
  await pool.query("UPDATE promo_codes SET used_count = $1 WHERE code = 'AUTUMN-FAIR'", [ids.length]);
}

/** Names and addresses as long as people's are, for these ids. */
const called = (ids: string) => `(
  SELECT id, number, first || ' ' || last AS name, lower(first) || '.' || lower(last) || '@example.com' AS email
  FROM unnest(${ids}::text[]) WITH ORDINALITY AS ids (id, number),
    LATERAL (SELECT (ARRAY['Grace', 'Maria', 'Tunde', 'Wei', 'Ingrid', 'Bartholomew', 'Ana', 'Graham', 'Yuki', 'Omar'])[1 + number % 10],
      (ARRAY['Hopper', 'Garcia-Hernandez', 'Li', 'Okafor', 'Sorensen', 'Nakamura', 'Brown'])[1 + number % 7]) AS names (first, last)
) AS called`;

/** Two messages that wait, one of them long, and one to answer. */
async function writeMessages({ pool }: TestServer, id: string, { email }: Person): Promise<void> {
  const long = "I paid yesterday and my bank shows it.\n\nWhere do I find the invoice? ".repeat(12);
  const messages = [
    [id, long],
    [`${id}-short`, "Could a label have a colour?"],
    [`${id}-answered`, "Where is my invoice?"],
  ];
  for (const [key, text] of messages) {
    await pool.query(
      `INSERT INTO contact_messages (id, name, email, topic, message, content_hash, created_at)
       VALUES ($1, 'Ada Lovelace', $2, 'payment', $3, $1, now() - interval '5 hours')`,
      [key, email, text],
    );
  }
}

/** A mail that was given up, and a job that fails. @returns the mail */
async function failSome({ pool }: TestServer): Promise<string> {
  const { rows } = await pool.query(
    `UPDATE mails SET sent_at = NULL, given_up_at = now(), failure = '550 5.1.1 No such mailbox here'
     WHERE id = (SELECT max(id) FROM mails) RETURNING id`,
  );
  await pool.query(
    `WITH failing AS (
       INSERT INTO outbox (kind, payload, attempts, created_at, run_at, last_error)
       VALUES ('send_mail', '{}', 7, now() - interval '26 minutes', now() + interval '5 minutes', 'connect ECONNREFUSED 10.0.0.25:587')
       RETURNING id, created_at
     )
     INSERT INTO mails (id, recipient, subject, queued_at) SELECT id, 'grace@example.com', 'Your receipt', created_at FROM failing`,
  );
  await pool.query(
    `INSERT INTO skipped_prices (id, product_name, reason) VALUES ('price_1Old', 'Lifetime', 'has no fixed amount')
     ON CONFLICT DO NOTHING`,
  );
  return rows[0].id;
}

/** Twenty-five weeks of figures: for the charts, which show twelve beside the twelve before, and for the funnel. */
async function pastFigures({ pool }: TestServer): Promise<void> {
  await eventually(
    async () => (await pool.query("SELECT FROM daily_figures WHERE name = 'counted'")).rowCount,
    "the figures are counted",
  );
  await pool.query(
    `INSERT INTO daily_figures (day, name, label, value)
     SELECT (now() AT TIME ZONE 'UTC')::date - ago, name, label, size * (200 - ago) / 200 + ago * ago % 7
     FROM generate_series(0, 175) AS ago, (VALUES
       ('views', '', 900), ('tried', '', 110), ('views', 'page:/', 500), ('views', 'page:/pricing', 300), ('views', 'page:/faq', 100),
       ('views', 'host:', 600), ('views', 'host:news.example', 200), ('views', 'host:a-rather-long-name.of-a-site.example', 90),
       ('joined', '', 40), ('joined', 'referral', 9), ('confirmed', '', 30), ('signed_up', '', 20), ('payment_page', '', 9),
       ('paid', '', 6), ('stayed', '', 4), ('paid', 'code:AUTUMN-FAIR', 2), ('redeemed', '', 5), ('redeemed', 'code:AUTUMN-FAIR', 4),
       ('canceled', '', 1), ('plans_begun', '', 6), ('plans_ended', '', 1), ('waiting', '', 700), ('revenue', 'usd', 412345),
       ('people', '', 2400), ('active', 'premium:paid', 610), ('active', 'basic:paid', 420), ('active', 'basic:promo', 90)
     ) AS figures (name, label, size)
     ON CONFLICT (name, day, label) DO UPDATE SET value = excluded.value`,
  );
}
