import { drizzle } from "drizzle-orm/node-postgres";
import { beforeAll, describe, expect, test } from "vitest";
import { control, eventually, mainOf, postForm } from "../../../test/http.ts";
import { mailTo } from "../../../test/mail.ts";
import { createOperator } from "../../../test/operator.ts";
import { openPayer, PLAN_STATES } from "../../../test/plan-states.ts";
import { setupServer } from "../../../test/server.fixture.ts";
import { AUTH_SECRET } from "../../../test/server.ts";
import { createPerson, get, type Person } from "../../../test/users.ts";
import { readConfig } from "../../config/config.server.ts";
import { countRefund } from "./refund-count.server.ts";

const server = setupServer();

type Payer = Awaited<ReturnType<typeof openPayer>>;

const post = (path: string, fields: Record<string, string>, { cookie }: Pick<Person, "cookie">) =>
  postForm(server, path, fields, cookie);

const page = async (path: string, { cookie }: Pick<Person, "cookie">) =>
  text(await mainOf(await get(server, path, cookie)));

/** What a page says, without its tags. */
const text = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll("&#x27;", "'")
    .replaceAll(/\s+/g, " ");

const DATE = /[A-Z]\w+ \d+, 20\d\d(, \d+:\d\d [AP]M UTC)?/g;

/** The fields of the review's form. */
async function reviewOf(price: string, payer: Payer) {
  const html = await mainOf(await get(server, `/subscription/change?price=${price}`, payer.cookie));
  const value = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(html)?.[1] ?? "";
  return { price, at: value("at"), due: value("due") };
}

async function requestOf(payer: Payer) {
  const { rows } = await server.pool.query(
    "SELECT kind, price_id, applied_at FROM plan_changes WHERE subscription_id = $1",
    [payer.subscription],
  );
  return rows[0] ?? null;
}

async function atStripe(payer: Payer) {
  const { rows } = await server.pool.query("SELECT object FROM sandbox_stripe.objects WHERE id = $1", [
    payer.subscription,
  ]);
  return rows[0].object;
}

const FORMS: [path: string, fields: Record<string, string>][] = [
  ["/subscription/cancel", { reason: "unused", comment: "" }],
  ["/subscription/change", { price: "price_csv_only_yearly", at: "1", due: "0" }],
  ["/subscription/refund", { total: "4999" }],
  ["/subscription/withdraw", { name: "Ada", email: "ada@example.com", confirm: "1" }],
  ["/dashboard", { do: "resume" }],
  ["/dashboard", { do: "card" }],
];

describe("refused:", () => {
  let payer: Payer;
  let other: Payer;
  beforeAll(async () => {
    [payer, other] = await Promise.all([openPayer(server), openPayer(server)]);
  });

  test.each(FORMS)("%s with %o, signed out", async (path, fields) => {
    const answer = await post(path, fields, { cookie: "" });
    expect(answer.status).toBeGreaterThanOrEqual(302);
    expect(answer.headers.get("location")).toMatch(/^\/login\?/);
  });

  test("whatever a form sends that is not its own to say, with nothing changed", async () => {
    const tampered = [
      { subscription: other.subscription },
      { subscription: payer.subscription },
      { user: other.id },
      { customer: other.customer },
      { invoice: "in_1" },
      { quantity: "0" },
      { coupon: "FREE" },
      { amount: "1" },
      { return_url: "https://evil.example/" },
      { success_url: "https://evil.example/" },
    ] as Record<string, string>[];
    for (const [path, fields] of FORMS)
      for (const more of tampered)
        expect([path, more, (await post(path, { ...fields, ...more }, payer)).status]).toEqual([
          path,
          more,
          400,
        ]);
    expect([await requestOf(payer), await requestOf(other)]).toEqual([null, null]);
  });

  test("forms with values that are none", async () => {
    const wrong: [string, Record<string, string>, number][] = [
      ["/subscription/cancel", { reason: "fraudulent" }, 400],
      ["/subscription/cancel", { comment: "a".repeat(501) }, 400],
      ["/subscription/change", { price: "price_csv_only_yearly" }, 400],
      ["/subscription/change", { price: "price'; --", at: "1", due: "0" }, 400],
      ["/subscription/change", { price: "price_nobody_has", at: "1", due: "0" }, 404],
      ["/subscription/change", { price: "price_csv_only_yearly", at: "1", due: "1e9" }, 400],
      ["/subscription/refund", { total: "-1" }, 400],
      ["/subscription/refund", { total: "1" }, 409],
      ["/dashboard", { do: "everything" }, 400],
      ["/subscription/withdraw", { name: "", email: "ada", confirm: "1" }, 400],
    ];
    for (const [path, fields, status] of wrong)
      expect([path, fields, (await post(path, fields, payer)).status]).toEqual([path, fields, status]);
    expect(await requestOf(payer)).toBeNull();
  });

  test("opening a page changes nothing, whatever its address says", async () => {
    for (const [path, fields] of FORMS)
      await get(server, `${path}?${new URLSearchParams(fields)}`, payer.cookie);
    expect(await requestOf(payer)).toBeNull();
  });

  test("everything, for a user who pays for nothing", async () => {
    const person = await createPerson(server.pool);
    for (const path of ["cancel", "change", "refund"])
      expect((await get(server, `/subscription/${path}`, person.cookie)).headers.get("location")).toBe(
        "/dashboard",
      );
    for (const [path, fields] of FORMS) {
      // The pages of a plan there is not lead to the dashboard.
      const { status, headers } = await post(path, fields, person);
      expect([path, status === 409 || headers.get("location") === "/dashboard"]).toEqual([path, true]);
    }
    expect(
      (await server.pool.query("SELECT FROM plan_changes WHERE user_id = $1", [person.id])).rowCount,
    ).toBe(0);
    expect(await page("/dashboard", person)).toContain("No active subscription found.");
  });
});

test("in each state the pages say once what is paid next, and until when the plan is there", async () => {
  const payer = await openPayer(server, "price_csv_only_yearly");
  const said = async (state: keyof typeof PLAN_STATES) => {
    await PLAN_STATES[state](server.pool, payer);
    return {
      dashboard: (await page("/dashboard", payer)).replaceAll(DATE, "DATE"),
      subscription: (await page("/subscription", payer)).replaceAll(DATE, "DATE"),
    };
  };
  const plus = "DATE , plus the days until CSV Processing opens";
  const promise = "Get a full refund";

  const changing = await said("changing");
  expect(changing.dashboard).toContain(
    "CSV Only switches to monthly billing, $2.99 a month, with your next payment.",
  );
  expect(changing.dashboard).toContain(`Next payment $2.99 CSV Only, monthly, on ${plus} Change plan`);
  expect(changing.subscription).toContain(`Next payment $2.99 CSV Only, monthly, on ${plus} Change plan`);
  expect(changing.dashboard).toContain(`Renews ${plus} Features`);
  expect(changing.dashboard).not.toContain("payment $29.99");

  for (const state of ["refunding", "applying"] as const) {
    const { dashboard, subscription } = await said(state);
    for (const text of [dashboard, subscription]) {
      expect(text).toContain("Nothing more will be charged once this is confirmed.");
      expect(text).not.toMatch(/Next payment|Renews/);
    }
    expect(dashboard).toContain(
      state === "refunding" ? "Expires Once this is confirmed Features" : `Expires ${plus} Features`,
    );
    expect(subscription.includes(promise)).toBe(state === "applying");
  }

  for (const [state, heading] of [
    ["unpaid", "CSV Only is on hold"],
    ["incomplete", "CSV Only hasn’t started"],
  ] as const) {
    const { subscription } = await said(state);
    expect(subscription).toContain(heading);
    expect(subscription).not.toMatch(/You’re on|Get a full refund/);
  }

  const pastDue = await said("past_due");
  expect(pastDue.dashboard).toContain("You keep CSV Only until DATE , and we’ll try again before then.");
  expect(pastDue.dashboard).toContain("Expires DATE Features");
  expect(pastDue.dashboard).not.toContain("Payment due $");
  expect(pastDue.subscription).toContain("You’re on CSV Only, $29.99 a year");
  expect(pastDue.subscription).toContain(promise);

  const ending = await said("ending");
  expect(ending.dashboard).toContain(
    "CSV Only ends on DATE You keep it until then, plus the days until CSV Processing opens. Nothing more will be charged. Keep my plan",
  );
  expect(ending.subscription).toContain(
    "CSV Only is ending CSV Only ends on DATE You keep it until then, plus the days until CSV Processing opens. Nothing more will be charged.",
  );
  expect(ending.dashboard).toContain(`Status Ending Plan CSV Only Tier basic Expires ${plus} Features`);

  const paused = await said("paused");
  expect(paused.dashboard).toContain("Payments resume DATE Features");
  expect(paused.dashboard).not.toMatch(/Renews|plus the days/);
});

test("cancelling says what happens, the dashboard says until when, and one press keeps it", async () => {
  const payer = await openPayer(server);
  expect(await page("/dashboard", payer)).toMatch(
    /Next payment \$49\.99 CSV \+ Banking, yearly, on \w+ \d+, 20\d\d , plus the days until CSV Processing opens Change plan .* Renews \w+ \d+, 20\d\d , plus the days until CSV Processing opens Features/,
  );
  expect(await page("/subscription/cancel", payer)).toMatch(
    /You keep CSV \+ Banking until \w+ \d+, 20\d\d, \d+:\d\d [AP]M UTC/,
  );
  const answers = await Promise.all([
    post("/subscription/cancel", { reason: "unused", comment: "No time" }, payer),
    post("/subscription/cancel", { reason: "unused", comment: "No time" }, payer),
  ]);
  expect(answers.map(({ status, headers }) => [status, headers.get("location")])).toEqual([
    [303, "/dashboard"],
    [303, "/dashboard"],
  ]);
  expect(await page("/dashboard", payer)).toMatch(
    /CSV \+ Banking ends on \w+ \d+, 20\d\d You keep it until then, plus the days until CSV Processing opens\. .* Expires \w+ \d+, 20\d\d, \d+:\d\d [AP]M UTC , plus the days until CSV Processing opens Features/,
  );
  expect(await atStripe(payer)).toMatchObject({
    cancel_at_period_end: true,
    cancellation_details: { feedback: "unused", comment: "No time" },
  });
  expect((await get(server, "/subscription/cancel", payer.cookie)).headers.get("location")).toBe(
    "/dashboard",
  );
  expect((await post("/dashboard", { do: "resume" }, payer)).status).toBe(303);
  expect(await page("/dashboard", payer)).toMatch(/Next payment \$49\.99/);
});

describe("a change", () => {
  test("down is reviewed, agreed to, and made when the period ends", async () => {
    const payer = await openPayer(server);
    expect(await page("/subscription/change", payer)).toMatch(
      /CSV Only, yearly \$29\.99 a year \(\$20\.00 less/,
    );
    const review = await reviewOf("price_csv_only_yearly", payer);
    expect(review.due).toBe("0");
    expect((await post("/subscription/change", review, payer)).headers.get("location")).toBe("/dashboard");
    expect(await page("/dashboard", payer)).toMatch(
      /Your plan changes to CSV Only, \$29\.99 a year, with your next payment\./,
    );
    const { rows } = await server.pool.query(
      "SELECT text, text_version, subscription_id FROM renewal_consents WHERE user_id = $1 ORDER BY agreed_at",
      [payer.id],
    );
    expect(rows).toEqual([
      {
        text: expect.stringMatching(/^You pay \$49\.99 today, then \$49\.99 every year on the same day/),
        text_version: "5",
        subscription_id: payer.subscription,
      },
      {
        text: expect.stringMatching(
          /^You pay nothing today\. From \w+ \d+, 20\d\d, plus the days until CSV Processing opens, you pay \$29\.99 every year/,
        ),
        text_version: "5",
        subscription_id: payer.subscription,
      },
    ]);
    // The present price again: no change is ahead.
    const present = { price: "price_csv_banking_yearly", at: "1", due: "0" };
    expect((await post("/subscription/change", present, payer)).headers.get("location")).toBe("/dashboard");
    expect(await page("/dashboard", payer)).not.toContain("Your plan changes");
  });

  test("up is paid for what was shown, or shown again", async () => {
    const payer = await openPayer(server, "price_csv_only_yearly");
    const review = await reviewOf("price_csv_banking_yearly", payer);
    expect(Number(review.due)).toBeGreaterThan(0);
    const again = "/subscription/change?price=price_csv_banking_yearly&again=1";
    const now = Math.floor(Date.now() / 1000);
    for (const other of [
      { ...review, due: "1" },
      { ...review, due: "-5000" },
      { ...review, at: String(now - 11 * 60) },
      { ...review, at: String(now + 3600) },
      { ...review, at: "soon" },
    ])
      expect((await post("/subscription/change", other, payer)).headers.get("location")).toBe(again);
    expect(await requestOf(payer)).toBeNull();
    expect(await page(again, payer)).toContain("These amounts have changed");
    expect((await post("/subscription/change", review, payer)).headers.get("location")).toBe("/dashboard");
    expect(await page("/dashboard", payer)).toMatch(/Next payment \$49\.99 .* Plan CSV \+ Banking/);
  });

  test("cannot be made while a payment is open", async () => {
    const payer = await openPayer(server);
    await server.pool.query("UPDATE stripe_subscriptions SET status = 'past_due' WHERE id = $1", [
      payer.subscription,
    ]);
    expect(await page("/subscription/change", payer)).toContain("Your last payment isn’t settled yet.");
    const form = { price: "price_csv_only_yearly", at: "1", due: "0" };
    expect((await post("/subscription/change", form, payer)).status).toBe(409);
  });
});

test("a refund is paid once, from however many tabs, and ends the plan", async () => {
  const payer = await openPayer(server);
  expect(await page("/subscription/refund", payer)).toContain("You get $49.99 back");
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => post("/subscription/refund", { total: "4999" }, payer)),
  );
  expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409, 409]);
  const said = await page("/dashboard", payer);
  expect(said).toContain("$49.99 went back the way you paid");
  expect(said).toContain("No active subscription found.");
  expect((await atStripe(payer)).status).toBe("canceled");
  const { rows } = await server.pool.query(
    "SELECT object->>'amount' AS amount FROM sandbox_stripe.objects WHERE kind = 'refund' AND object->'metadata'->>'invoice' IN (SELECT id FROM stripe_invoices WHERE user_id = $1)",
    [payer.id],
  );
  expect(rows).toEqual([{ amount: "4999" }]);
});

test("withdrawing takes a statement and a confirmation, and is confirmed by mail at once", async () => {
  const payer = await openPayer(server);
  const statement = { name: "Ada Lovelace", email: payer.email };
  expect(await page("/dashboard", payer)).toContain("Withdraw from contract here");
  const stated = await post("/subscription/withdraw", statement, payer);
  expect([stated.status, await requestOf(payer)]).toEqual([200, null]);
  expect(text(await mainOf(stated))).toMatch(/Ada Lovelace withdraws from the contract for CSV \+ Banking/);
  const [first, second] = await Promise.all([
    post("/subscription/withdraw", { ...statement, confirm: "1" }, payer),
    post("/subscription/withdraw", { ...statement, confirm: "1" }, payer),
  ]);
  expect([first.status, second.status].toSorted()).toEqual([303, 409]);
  const mail = await mailTo(server, payer.email, /^Your withdrawal from CSV \+ Banking/);
  expect(mail.text).toMatch(/on \w+ \d+, 20\d\d at \d+:\d\d:\d\d [AP]M UTC/);
  expect(mail.text).toContain("\u2068Ada Lovelace\u2069 withdraws from the contract");
  expect((await atStripe(payer)).status).toBe("canceled");
  const { rowCount } = await server.pool.query("SELECT FROM withdrawals WHERE user_id = $1", [payer.id]);
  expect(rowCount).toBe(1);
});

test("after fourteen days there is nothing to withdraw from, and the page says so", async () => {
  const payer = await openPayer(server);
  await server.pool.query(
    "UPDATE stripe_invoices SET paid_at = now() - interval '16 days' WHERE user_id = $1",
    [payer.id],
  );
  expect(await page("/dashboard", payer)).not.toContain("Withdraw from contract here");
  expect(await page("/subscription/withdraw", payer)).toContain(
    "There is no contract you can withdraw from here",
  );
  const confirmed = { name: "Ada", email: payer.email, confirm: "1" };
  expect((await post("/subscription/withdraw", confirmed, payer)).status).toBe(409);
});

test("the card and the billing address are changed on Stripe's page, which leads back", async () => {
  const payer = await openPayer(server);
  for (const button of ["card", "billing"]) {
    const answer = await post("/dashboard", { do: button }, payer);
    expect([answer.status, answer.headers.get("location")]).toEqual([
      303,
      expect.stringContaining("/sandbox/stripe/"),
    ]);
  }
  expect((await get(server, "/dashboard?returned=1", payer.cookie)).headers.get("location")).toBe(
    "/dashboard",
  );
});

test("a user's invoices are on no other user's page", async () => {
  const [payer, other] = await Promise.all([openPayer(server), openPayer(server)]);
  const { rows } = await server.pool.query("SELECT number FROM stripe_invoices WHERE user_id = $1", [
    other.id,
  ]);
  for (const path of ["/dashboard", "/subscription/invoices"])
    expect(await page(path, payer)).not.toContain(rows[0].number);
  expect(await page("/subscription/invoices", other)).toContain(rows[0].number);
});

describe("while Stripe is away", () => {
  test("a cancellation is kept and applied later; a change and the card say so", async () => {
    const payer = await openPayer(server);
    const review = await reviewOf("price_csv_only_yearly", payer);
    await control(server, { api: "down" });
    expect((await post("/dashboard", { do: "card" }, payer)).status).toBe(503);
    const up = await openPayerReview(payer);
    expect([up.status, text(await mainOf(up))]).toEqual([
      503,
      expect.stringContaining("We couldn’t reach our payment provider."),
    ]);
    expect((await post("/subscription/cancel", { reason: "", comment: "" }, payer)).status).toBe(303);
    expect(await page("/dashboard", payer)).toContain("Canceling your plan…");
    // A change when the period ends needs no calculation, and is the last word now.
    expect((await post("/subscription/change", review, payer)).status).toBe(303);
    await control(server, { api: "up" });
    await server.pool.query(
      "UPDATE outbox SET run_at = now() WHERE kind = 'apply_plan_change' AND done_at IS NULL",
    );
    await eventually(async () => (await requestOf(payer))?.applied_at, "the job applies it");
    expect(await atStripe(payer)).toMatchObject({
      cancel_at_period_end: false,
      schedule: expect.any(String),
    });
    expect(await page("/dashboard", payer)).toContain("Your plan changes to CSV Only");
  });
});

/** The review of a change that Stripe has to calculate. */
async function openPayerReview(payer: Payer) {
  await server.pool.query(
    "UPDATE stripe_subscriptions SET price_id = 'price_csv_only_yearly' WHERE id = $1",
    [payer.subscription],
  );
  const answer = await get(server, "/subscription/change?price=price_csv_banking_yearly", payer.cookie);
  await server.pool.query(
    "UPDATE stripe_subscriptions SET price_id = 'price_csv_banking_yearly' WHERE id = $1",
    [payer.subscription],
  );
  return answer;
}

const config = readConfig({ AUTH_SECRET });

const ask = ({ cookie }: Person) => postForm(server, "/subscription/refund", { total: "4999" }, cookie);

const kindOf = async (payer: { subscription: string }) =>
  (await server.pool.query("SELECT kind FROM plan_changes WHERE subscription_id = $1", [payer.subscription]))
    .rows[0]?.kind;

/** Two refunds of earlier accounts of the same mailbox. */
async function hadTwo({ email }: Person, ago = "0 days"): Promise<void> {
  const [local, domain] = email.split("@");
  for (const spelling of [`${local}+1@${domain}`, `${local}+again@${domain}`.toUpperCase()]) {
    const subscription = `sub_${crypto.randomUUID()}`;
    await countRefund(drizzle(server.pool), config, spelling, subscription);
    await server.pool.query(
      "UPDATE counted_refunds SET refunded_at = now() - $1::interval WHERE subscription_id = $2",
      [ago, subscription],
    );
  }
}

test("the third refund of a mailbox within a year asks the operators, and is not paid by itself", async () => {
  const payer = await openPayer(server);
  await hadTwo(payer, "364 days");
  const before = await page("/subscription/refund", payer);
  expect(before).toContain("You have had two refunds in the last twelve months.");
  expect(before).toContain("We usually reply within 2 business days.");
  expect(before).toContain("withdraw here");
  for (let press = 0; press < 2; press += 1)
    expect((await ask(payer)).headers.get("location")).toBe("/subscription/refund?asked=1");
  expect(await page("/subscription/refund?asked=1", payer)).toContain("We have your question about $49.99");
  expect(await kindOf(payer)).toBeUndefined();
  const { rows } = await server.pool.query("SELECT topic, message FROM contact_messages WHERE email = $1", [
    payer.email,
  ]);
  expect(rows).toEqual([{ topic: "payment", message: expect.stringContaining(`/admin/people/${payer.id}`) }]);
  expect(rows[0].message).toContain(payer.subscription);
  expect((await mailTo(server, "support@ownwords.example", /Payment or plan/)).text).toContain("$49.99");
});

test("a withdrawal is paid however many refunds there were, and is not counted", async () => {
  const payer = await openPayer(server);
  await hadTwo(payer);
  const form = { name: "Ada", email: payer.email, confirm: "1" };
  expect((await postForm(server, "/subscription/withdraw", form, payer.cookie)).status).toBe(303);
  expect(await kindOf(payer)).toBe("withdraw");
  expect(
    (await server.pool.query("SELECT FROM counted_refunds WHERE subscription_id = $1", [payer.subscription]))
      .rowCount,
  ).toBe(0);
});

test("refunds of more than a year ago do not count, and each that is paid does", async () => {
  const payer = await openPayer(server);
  await hadTwo(payer, "367 days");
  expect((await ask(payer)).headers.get("location")).toBe("/dashboard");
  expect(await kindOf(payer)).toBe("refund");
  expect(
    (await server.pool.query("SELECT FROM counted_refunds WHERE subscription_id = $1", [payer.subscription]))
      .rowCount,
  ).toBe(1);
});

test("an operator pays it anyway, with a reason, for the day of the question, and only what their page said", async () => {
  const payer = await openPayer(server);
  const operator = await createOperator(server.pool);
  await hadTwo(payer);
  await ask(payer);
  await server.pool.query(
    "UPDATE contact_messages SET created_at = now() - interval '10 days' WHERE email = $1",
    [payer.email],
  );
  const path = `/admin/people/${payer.id}`;
  const { cookie } = operator;
  expect(await page(path, operator)).toContain("Refund $49.99 now");
  const press = (fields: Record<string, string>) =>
    postForm(server, path, { do: "refund", ...fields }, cookie);
  expect((await press({ total: "4999", reason: "" })).status).toBe(400);
  expect((await press({ total: "1", reason: "They explained it" })).status).toBe(409);
  expect(await kindOf(payer)).toBeUndefined();
  const pressed = await press({ total: "4999", reason: "They explained it" });
  expect(pressed.headers.get("location")).toBe(`${path}?said=refunded`);
  const { rows } = await server.pool.query(
    `SELECT kind, requested_at < now() - interval '9 days' AS is_of_the_question,
       (SELECT count(*)::int FROM counted_refunds WHERE subscription_id = $1) AS counted
     FROM plan_changes WHERE subscription_id = $1`,
    [payer.subscription],
  );
  expect(rows).toEqual([{ kind: "refund", is_of_the_question: true, counted: 1 }]);
  expect(
    (
      await server.pool.query("SELECT actor, action, reason FROM audit_log WHERE subject = $1", [
        `user:${payer.id}`,
      ])
    ).rows,
  ).toEqual([{ actor: operator.email, action: "user.refunded", reason: "They explained it" }]);
  await eventually(async () => {
    const { rows } = await server.pool.query(
      "SELECT amount_refunded FROM stripe_invoices WHERE user_id = $1 AND amount_refunded = 4999",
      [payer.id],
    );
    return rows[0];
  }, "it is paid back");
  expect(await page(path, operator)).not.toContain("Refund beyond the promise");
});
