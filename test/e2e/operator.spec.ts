import { randomUUID } from "node:crypto";
import type { Browser, BrowserContext, Locator, Page } from "@playwright/test";
import { createMembers } from "../../app/waitlist/members.fixture.ts";
import { allJobsDone, asClient, call, checkoutOf, control, pay, postForm } from "../http.ts";
import { mailTo, type SentMail } from "../mail.ts";
import { createOperator } from "../operator.ts";
import { openPayer, PLAN_STATES } from "../plan-states.ts";
import type { TestServer } from "../server.ts";
import { createPerson, get, PASSWORD, type Person } from "../users.ts";
import { expect, signIn, test } from "./fixtures.ts";

/**
 * The operator's browser on the overview, with what a day's work needs. Links and buttons are counted; choosing and typing
 * are free.
 */
async function openConsole(page: Page, context: BrowserContext, server: TestServer) {
  await signIn(context, server, await createOperator(server.pool));
  await page.goto("/admin");
  let presses = 0;
  const press = async (role: "link" | "button", name: string | RegExp, inside: Page | Locator = page) => {
    presses++;
    const title = await page.title();
    await inside.getByRole(role, { name }).first().click();
    // The next page may have a button of the same name, as a list and the page of one row have.
    if (role === "link") await expect(page).not.toHaveTitle(title);
  };
  const find = async (words: string) => {
    await page.getByRole("searchbox", { name: "Search" }).fill(words);
    await press("button", "Search");
  };
  return { press, find, presses: () => presses };
}

/** The dashboard as another user sees it meanwhile, in another browser. */
async function dashboardOf(browser: Browser, server: TestServer, person: Person): Promise<string | null> {
  const context = await browser.newContext({ baseURL: server.origin, extraHTTPHeaders: asClient() });
  try {
    await signIn(context, server, person);
    const theirs = await context.newPage();
    await theirs.goto("/dashboard");
    return await theirs.getByRole("main").textContent();
  } finally {
    await context.close();
  }
}

const NO_PLAN = "No active subscription found.";

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("charged and has no access: found, seen and synced with at most 4 presses", async ({
      page,
      context,
      browser,
      server,
    }) => {
      const person = await createPerson(server.pool);
      await control(server, { events_lost: 1 });
      const { result } = (await (await call(server, checkoutOf(server), person.cookie)).json()) as {
        result: { url: string };
      };
      await pay(result.url);
      expect(await dashboardOf(browser, server, person)).toContain(NO_PLAN);
      const { press, find, presses } = await openConsole(page, context, server);
      await find(person.email);
      await expect(page.getByRole("heading", { name: "Has no plan" })).toBeVisible();
      await press("button", "Sync from Stripe");
      await expect(page.getByRole("heading", { name: "Has CSV + Banking" })).toBeVisible();
      await control(server, { reset: true });
      expect(presses()).toBeLessThanOrEqual(4);
      const theirs = await dashboardOf(browser, server, person);
      expect(theirs).toContain("CSV + Banking");
      expect(theirs).not.toContain(NO_PLAN);
      console.log(`charged and has no access: ${presses()} presses`);
    });

    test("a month is given with at most 5 presses", async ({ page, context, browser, server }) => {
      const person = await createPerson(server.pool);
      const { press, find, presses } = await openConsole(page, context, server);
      await find(person.email);
      await press("link", "Give access");
      await page.getByLabel("Reason").fill("Waited too long for an answer");
      await press("button", "Give access");
      await expect(page.getByRole("status")).toContainText("Given.");
      expect(presses()).toBeLessThanOrEqual(5);
      expect(await dashboardOf(browser, server, person)).toContain("CSV + Banking");
      const { rows } = await server.pool.query(
        "SELECT expires_at = created_at + interval '1 month' AS is_a_month FROM grants WHERE user_id = $1",
        [person.id],
      );
      expect(rows).toEqual([{ is_a_month: true }]);
      console.log(`a month: ${presses()} presses`);
    });

    test("a code is paused with at most 3 presses", async ({ page, context, browser, server }) => {
      const code = `LEAFLET-${randomUUID().slice(0, 8).toUpperCase()}`;
      await server.pool.query(
        "INSERT INTO promo_codes (code, tier, duration_type, duration_months) VALUES ($1, 'premium', 'months', 1)",
        [code],
      );
      const { press, presses } = await openConsole(page, context, server);
      await press("link", "Promo codes");
      await press("link", code);
      await press("button", "Pause");
      await expect(page.getByRole("status")).toContainText("Paused. Nobody can redeem it");
      expect(presses()).toBeLessThanOrEqual(3);

      const theirs = await browser.newContext({ baseURL: server.origin, extraHTTPHeaders: asClient() });
      await signIn(theirs, server, await createPerson(server.pool));
      const buyer = await theirs.newPage();
      await buyer.goto(`/subscription?promo=${code}`);
      await buyer.getByRole("textbox", { name: "Promo code" }).fill(code);
      await buyer.getByRole("button", { name: "Apply code" }).click();
      await expect(buyer.getByText("Invalid or expired promo code").first()).toBeVisible();
      await theirs.close();
      console.log(`a code: ${presses()} presses`);
    });

    test("50 are invited with at most 4 presses, each by one mail", async ({ page, context, server }) => {
      await server.pool.query("DELETE FROM waitlist");
      const members = await createMembers(server.pool, 60, true);
      const { press, presses } = await openConsole(page, context, server);
      await press("link", "Waitlist");
      await press("link", "Invite people");
      await page.getByLabel("How many people").fill("50");
      await press("button", "Preview");
      await page.getByLabel("Type “nothing is open”").fill("nothing is open");
      await press("button", "Invite 50 people");
      await expect(page.getByRole("heading", { level: 1 })).toHaveText("50 people invited");
      expect(presses()).toBeLessThanOrEqual(4);
      await expect(page.getByRole("heading", { name: "Emailing them" })).toHaveCount(0);
      await allJobsDone(server);
      const mails = (await (await fetch(`${server.origin}/sandbox/mail.json`)).json()) as SentMail[];
      const invited = new Set(members.slice(0, 50).map(({ email }) => email));
      const everybody = new Set(members.map(({ email }) => email));
      const sent = mails.filter(({ to, subject }) => everybody.has(to) && /^It’s your turn/.test(subject));
      expect(sent.map(({ to }) => to).toSorted()).toEqual([...invited].toSorted());
      console.log(`50 invited: ${presses()} presses`);
    });

    test("a message is answered with at most 3 presses, and the mail arrives", async ({
      page,
      context,
      server,
    }) => {
      await server.pool.query("DELETE FROM contact_messages");
      const [id, email] = [randomUUID(), `${randomUUID()}@example.com`];
      await server.pool.query(
        `INSERT INTO contact_messages (id, name, email, topic, message, content_hash)
         VALUES ($1, 'Ada', $2, 'payment', 'Where is my invoice?', $1)`,
        [id, email],
      );
      const { press, presses } = await openConsole(page, context, server);
      await press("link", /unanswered message/);
      await press("link", "Where is my invoice?");
      await page.getByLabel("Your answer").fill("It is on your dashboard, under Payments.");
      await press("button", "Send the answer");
      await expect(page.getByRole("status")).toContainText("on its way");
      expect(presses()).toBeLessThanOrEqual(3);
      const mail = await mailTo(server, email, /./);
      expect(mail.text).toContain("It is on your dashboard, under Payments.");
      await page.goto("/admin");
      await expect(page.getByRole("link", { name: /unanswered message/ })).toHaveCount(0);
      console.log(`a message: ${presses()} presses`);
    });

    test("an account is deleted on request with at most 5 presses", async ({ page, context, server }) => {
      const person = await createPerson(server.pool);
      const { press, find, presses } = await openConsole(page, context, server);
      await find(person.email);
      await press("link", "Delete the account");
      await page.getByLabel("Their email address").fill(person.email);
      await page.getByLabel("Reason").fill("Asked by email");
      await press("button", "Delete the account");
      await expect(page.getByRole("status")).toContainText("The account is deleted");
      expect(presses()).toBeLessThanOrEqual(5);
      await mailTo(server, person.email, /deleted/i);
      expect((await get(server, "/dashboard", person.cookie)).status).not.toBe(200);
      const again = await postForm(server, "/login", { email: person.email, password: PASSWORD });
      expect(again.status).not.toBe(303);
      console.log(`an account: ${presses()} presses`);
    });

    test("a code is created with at most 3 presses", async ({ page, context, server }) => {
      const code = `FAIR-${randomUUID().slice(0, 8).toUpperCase()}`;
      const { press, presses } = await openConsole(page, context, server);
      await press("link", "Promo codes");
      await press("link", "Create a code");
      await page.getByLabel("Code", { exact: true }).fill(code);
      await press("button", "Create the code");
      await expect(page.getByRole("heading", { level: 1 })).toContainText(code);
      expect(presses()).toBeLessThanOrEqual(3);
      const { rows } = await server.pool.query("SELECT active FROM promo_codes WHERE code = $1", [code]);
      expect(rows).toEqual([{ active: true }]);
      console.log(`a new code: ${presses()} presses`);
    });

    test("a hundred codes are created with at most 4 presses", async ({ page, context, server }) => {
      const name = `Leaflets ${randomUUID()}`;
      const { press, presses } = await openConsole(page, context, server);
      await press("link", "Promo codes");
      await press("link", /batches/i);
      await press("link", "Create a batch");
      await page.getByLabel("Name").fill(name);
      await page.getByLabel("How many codes").fill("100");
      await press("button", "Create the batch");
      await expect(page.getByRole("heading", { level: 1 })).toContainText(name);
      expect(presses()).toBeLessThanOrEqual(4);
      const { rows } = await server.pool.query(
        `SELECT count(*)::int AS codes FROM promo_codes JOIN promo_batches ON promo_batches.id = batch_id WHERE name = $1`,
        [name],
      );
      expect(rows).toEqual([{ codes: 100 }]);
      console.log(`a batch: ${presses()} presses`);
    });

    test("why a payment failed is read with at most 2 presses", async ({ page, context, server }) => {
      const payer = await openPayer(server);
      await PLAN_STATES.past_due(server.pool, payer);
      await server.pool.query(
        "UPDATE stripe_invoices SET decline_code = 'insufficient_funds' WHERE user_id = $1 AND status = 'open'",
        [payer.id],
      );
      const { press, presses } = await openConsole(page, context, server);
      await press("link", /overdue payment/);
      await press("link", payer.email);
      await expect(page.getByRole("main")).toContainText("There wasn’t enough money on the card.");
      expect(presses()).toBeLessThanOrEqual(2);
      console.log(`a failed payment: ${presses()} presses`);
    });

    test("a mail is sent again with at most 3 presses", async ({ page, context, server }) => {
      const email = `${randomUUID()}@example.com`;
      await postForm(server, "/register", { name: "Ada", email, password: PASSWORD });
      await mailTo(server, email, /./);
      const { press, find, presses } = await openConsole(page, context, server);
      await find(email);
      await press("link", /^Confirm your email/, page.getByRole("region", { name: "Table of activity" }));
      await press("button", "Send again");
      await expect(page.getByRole("status")).toContainText("again");
      expect(presses()).toBeLessThanOrEqual(3);
      console.log(`a mail again: ${presses()} presses`);
    });

    test("a plan is canceled and refunded with at most 5 presses", async ({ page, context, server }) => {
      const payer = await openPayer(server);
      const { press, find, presses } = await openConsole(page, context, server);
      await find(payer.email);
      await press("link", "Cancel and refund");
      await page.getByLabel("Immediately").check();
      await page.getByLabel("Everything paid for this plan").check();
      await press("button", "Preview");
      await page.getByLabel("Reason").fill("Asked by email");
      await press("button", /refund/i);
      await expect(page.getByRole("status")).toContainText("Stripe has the end of the plan");
      expect(presses()).toBeLessThanOrEqual(5);
      await allJobsDone(server);
      const { rows } = await server.pool.query(
        "SELECT amount_paid - amount_refunded AS kept FROM stripe_invoices WHERE user_id = $1",
        [payer.id],
      );
      expect(rows).toEqual([{ kept: 0 }]);
      console.log(`cancel and refund: ${presses()} presses`);
    });

    test("this week’s funnel and who changed a code are each one press away", async ({
      page,
      context,
      server,
    }) => {
      await server.pool.query(
        "INSERT INTO audit_log (actor, action, subject) VALUES ('ada@example.com', 'promo_code.paused', 'promo_code:SPRING')",
      );
      const { press, presses } = await openConsole(page, context, server);
      await press("link", "Funnel");
      await expect(page.getByRole("listitem").filter({ hasText: "Visited" })).toBeVisible();
      await press("link", "Audit log");
      await expect(page.getByRole("columnheader", { name: "By" })).toBeVisible();
      await expect(page.getByRole("cell", { name: "Paused SPRING" }).first()).toBeVisible();
      expect(presses()).toBe(2);
    });

    test("a feature is opened with at most 3 presses", async ({ page, context, server }) => {
      const { press, presses } = await openConsole(page, context, server);
      await press("link", "Features");
      const section = page.getByRole("region", { name: "Banking API" });
      await press("link", /^Open /, section);
      await page.getByRole("radio", { name: "On a date" }).check();
      await page.getByLabel("Date", { exact: true }).fill("2999-01-31");
      await page.getByRole("checkbox").check();
      await press("button", /^Open /);
      await expect(section).toContainText("Scheduled");
      expect(presses()).toBeLessThanOrEqual(3);
      await server.pool.query("DELETE FROM features");
      // The mail about it waits for that day, and other tests wait until no job is left.
      await server.pool.query(
        "DELETE FROM outbox WHERE done_at IS NULL AND run_at > now() + interval '1 year'",
      );
      console.log(`a feature: ${presses()} presses`);
    });
  });
}
