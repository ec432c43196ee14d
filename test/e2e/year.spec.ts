import type { Page } from "@playwright/test";
import { call, checkoutOf } from "../http.ts";
import { putOnClock } from "../on-clock.ts";
import { openPayer } from "../plan-states.ts";
import type { TestServer } from "../server.ts";
import { createPerson, type Person, verify } from "../users.ts";
import { expect, signIn, test } from "./fixtures.ts";
import { stagesOf } from "./life.ts";

/** Nothing is open yet: a plan gets the days it waits. */
const PLUS = ", plus the days until CSV Processing opens";

test.describe("with JavaScript", () => {
  test("a year: trial, renewals, a card that fails, another one, up, down, cancelled, kept, refunded", async ({
    page,
    server,
    context,
    open,
  }) => {
    const person = await createPerson(server.pool);
    const customer = await openCustomer(server, person);
    await signIn(context, server, person);
    const life = await putOnClock(server, person, customer);
    const stage = stagesOf(page, open, life);

    await life.payWith("pm_card_visa");
    await life.stripe.subscriptions.create({
      customer,
      items: [{ price: "price_csv_only_monthly" }],
      trial_period_days: 14,
    });
    const [start, trialEnd] = [life.today(), await life.paidUntil()];
    await stage("trial", {
      banner: "",
      plan: `First payment $2.99 Your free trial ends on ${trialEnd}${PLUS}. Then you pay $2.99 a month, unless you cancel before then. Change plan Cancel plan`,
      facts: `Free trial, CSV Only, basic, ${trialEnd}${PLUS}`,
      card: expect.stringContaining("Visa ending in 4242"),
      invoice: `${start} $0.00, paid`,
      mails: [],
    });

    for (const payment of ["the first", "a renewal"]) {
      const { ended, next } = await life.passPeriod();
      await stage(payment, {
        banner: "",
        plan: `Next payment $2.99 CSV Only, monthly, on ${next}${PLUS} Change plan Cancel plan`,
        facts: `Active, CSV Only, basic, ${next}${PLUS}`,
        invoice: `${ended} $2.99, paid`,
        mails: ["Receipt: $2.99 for CSV Only"],
      });
    }

    await life.payWith("pm_card_chargeCustomerFail");
    const failed = await life.passPeriod();
    await stage("the card fails", {
      banner: `Your last payment didn’t go through. Your bank declined it without saying why. Call the number on your card, or use another card. You keep CSV Only until ${failed.grace}, and we’ll try again before then. Pay now or update your card to keep it. Pay $2.99 Update card Cancel plan`,
      plan: "",
      facts: `Payment due, CSV Only, basic, ${failed.grace}`,
      card: expect.stringContaining("Visa ending in 0341"),
      invoice: `${failed.ended} $2.99, not paid yet`,
      mails: ["Your payment for CSV Only didn’t go through"],
    });
    await page.getByRole("alert").getByRole("button", { name: "Update card" }).click();
    await page.getByLabel("Card number").fill("5555555555554444");
    await page.getByLabel(/^Expires/).fill("12/34");
    await page.getByLabel("Security code").fill("123");
    await page.getByRole("button", { name: "Save card" }).click();
    await expect(page).toHaveURL("/dashboard");
    await life.pass(3);
    await stage("the next attempt succeeds", {
      banner: "",
      plan: `Next payment $2.99 CSV Only, monthly, on ${failed.next}${PLUS} Change plan Cancel plan`,
      facts: `Active, CSV Only, basic, ${failed.next}${PLUS}`,
      card: "Mastercard ending in 4444, expires 12/2034",
      invoice: `${failed.ended} $2.99, paid`,
      mails: ["Receipt: $2.99 for CSV Only"],
    });

    await review(page, "CSV + Banking, monthly");
    await expect(
      page.getByText(
        `You pay $2.00 today. From ${failed.next}${PLUS}, you pay $4.99 every month until you cancel`,
      ),
    ).toBeVisible();
    await page.getByRole("button", { name: "Pay $2.00 and change plan" }).click();
    await expect(page).toHaveURL("/dashboard");
    await stage("up, at once", {
      banner: "",
      plan: `Next payment $4.99 CSV + Banking, monthly, on ${failed.next}${PLUS} Change plan Cancel plan`,
      facts: `Active, CSV + Banking, premium, ${failed.next}${PLUS}`,
      invoice: `${life.today()} $2.00, paid`,
      mails: ["Receipt: $2.00 for CSV + Banking"],
    });

    for (const isLast of [false, true]) {
      await review(page, "CSV Only, monthly");
      await expect(
        page.getByText(`You pay nothing today. From ${failed.next}${PLUS}, you pay $2.99 every month`),
      ).toBeVisible();
      await page.getByRole("button", { name: "Change to CSV Only" }).click();
      await expect(page).toHaveURL("/dashboard");
      await stage("down is ahead", {
        banner: "Your plan changes to CSV Only, $2.99 a month, with your next payment. Undo the change",
        plan: `Next payment $2.99 CSV Only, monthly, on ${failed.next}${PLUS} Change plan Cancel plan`,
        facts: `Active, CSV + Banking, premium, ${failed.next}${PLUS}`,
        mails: [],
      });
      if (isLast) break;
      await page.getByRole("button", { name: "Undo the change" }).click();
      await expect(page.getByText("Your plan changes")).toHaveCount(0);
      await stage("undone", {
        banner: "",
        plan: `Next payment $4.99 CSV + Banking, monthly, on ${failed.next}${PLUS} Change plan Cancel plan`,
        mails: [],
      });
    }
    const down = await life.passPeriod();
    await stage("down", {
      banner: "",
      plan: `Next payment $2.99 CSV Only, monthly, on ${down.next}${PLUS} Change plan Cancel plan`,
      facts: `Active, CSV Only, basic, ${down.next}${PLUS}`,
      invoice: `${down.ended} $2.99, paid`,
      mails: ["Receipt: $2.99 for CSV Only"],
    });

    await cancel(page);
    await stage("cancelled", {
      banner: "",
      plan: `CSV Only ends on ${down.next} You keep it until then, plus the days until CSV Processing opens. Nothing more will be charged. Change plan`,
      facts: `Ending, CSV Only, basic, ${down.nextEnd}${PLUS}`,
      mails: ["CSV Only is canceled"],
    });
    await page.getByRole("button", { name: "Keep my plan" }).click();
    await expect(page.getByText("Ending", { exact: true })).toHaveCount(0);
    await stage("kept", {
      banner: "",
      plan: `Next payment $2.99 CSV Only, monthly, on ${down.next}${PLUS} Change plan Cancel plan`,
      mails: [],
    });

    await life.pass(230);
    const next = await life.paidUntil();
    await stage("seven renewals later", {
      banner: "",
      plan: `Next payment $2.99 CSV Only, monthly, on ${next}${PLUS} Change plan Cancel plan`,
      facts: `Active, CSV Only, basic, ${next}${PLUS}`,
      mails: Array.from({ length: 7 }, () => "Receipt: $2.99 for CSV Only"),
    });

    // Eleven payments of $2.99, and what the change up cost.
    await page.getByRole("link", { name: "Get a refund" }).click();
    await page.getByRole("button", { name: "Refund $34.89 and end plan" }).click();
    await expect(page).toHaveURL("/dashboard");
    // A refund that Stripe does not answer in time is paid by its job.
    await expect(async () => {
      await page.reload();
      await expect(page.getByText("went back the way you paid")).toBeVisible({ timeout: 1_000 });
    }).toPass();
    const mails = await stage("refunded", {
      banner: "",
      plan: `CSV Only ended on ${life.today()}, and nothing more will be charged. $34.89 went back the way you paid; banks take up to ten days to show it. No active subscription found. Please subscribe to access Ownwords features. Subscribe Now Have a code?`,
      facts: "",
      card: "",
      mails: ["We refunded $34.89"],
    });
    for (const { text } of mails)
      expect(text.replaceAll(/\s+/g, " ")).toMatch(/CSV Only has ended, and you won’t be charged again/);
  });
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("a payment to confirm, a pause, the end, and another plan", async ({
    page,
    server,
    context,
    open,
  }) => {
    const person = await openPayer(server, "price_csv_only_monthly");
    await signIn(context, server, person);
    const life = await putOnClock(server, person, person.customer);
    const stage = stagesOf(page, open, life);

    await life.payWith("pm_card_authenticationRequired");
    const renewal = await life.passPeriod();
    await stage("the bank asks", {
      banner: `Your bank wants you to confirm your last payment. You keep CSV Only until ${renewal.grace}. Confirm it now, or use another card, and your plan continues. Confirm $2.99 Update card Cancel plan`,
      plan: "",
      facts: `Payment due, CSV Only, basic, ${renewal.grace}`,
      invoice: `${renewal.ended} $2.99, not paid yet`,
      mails: ["Confirm your payment for CSV Only"],
    });
    await page.getByRole("link", { name: "Confirm $2.99" }).click();
    await page.getByRole("link", { name: /^Confirm/ }).click();
    await page.getByRole("button", { name: "Complete authentication" }).click();
    await expect(page.getByText(/^Paid on/)).toBeVisible();
    const paid = {
      banner: "",
      plan: `Next payment $2.99 CSV Only, monthly, on ${renewal.next}${PLUS} Change plan Cancel plan`,
      facts: `Active, CSV Only, basic, ${renewal.next}${PLUS}`,
      invoice: `${renewal.ended} $2.99, paid`,
    };
    await stage("confirmed", { ...paid, mails: ["Receipt: $2.99 for CSV Only"] });

    const { id } = await life.subscription();
    await life.stripe.subscriptions.update(id, { pause_collection: { behavior: "void" } });
    await stage("paused by us", {
      banner: "Your payments are paused. Nothing is charged until they resume.",
      plan: "CSV Only $2.99 a month Cancel plan",
      facts: `Paused, CSV Only, basic, ${renewal.nextEnd}${PLUS}`,
      mails: [],
    });
    await life.stripe.subscriptions.update(id, { pause_collection: "" });
    await stage("continued", { ...paid, mails: [] });

    await cancel(page);
    await stage("cancelled", {
      banner: "",
      mails: ["CSV Only is canceled"],
    });
    await life.pass(31);
    await stage("ended", {
      banner: "",
      plan: `CSV Only ended on ${renewal.next}, and nothing more will be charged. No active subscription found. Please subscribe to access Ownwords features. Subscribe Now Have a code?`,
      facts: "",
      card: "",
      mails: [],
    });

    await page.getByRole("link", { name: "Subscribe Now" }).click();
    await page.getByRole("button", { name: "Choose CSV + Banking, yearly" }).click();
    await page.getByRole("button", { name: "Pay $49.99" }).click();
    await expect(page).toHaveURL("/dashboard?paid=1");
    const next = await life.paidUntil();
    await stage("another plan", {
      plan: `Next payment $49.99 CSV + Banking, yearly, on ${next}${PLUS} Change plan Cancel plan`,
      facts: `Active, CSV + Banking, premium, ${next}${PLUS}`,
      invoice: `${life.today()} $49.99, paid`,
      mails: ["Receipt: $49.99 for CSV + Banking"],
    });
  });
});

/** A customer of ours who has never paid. */
async function openCustomer(server: TestServer, person: Person): Promise<string> {
  await call(server, checkoutOf(server), person.cookie);
  const { rows } = await server.pool.query(
    "SELECT stripe_customer_id AS id FROM customers WHERE user_id = $1",
    [person.id],
  );
  await verify(server, person);
  return rows[0].id;
}

async function review(page: Page, plan: string): Promise<void> {
  await page.getByRole("link", { name: "Change plan" }).click();
  await expect(page).toHaveURL("/subscription/change");
  await page.getByRole("link", { name: `See details ${plan}` }).click();
}

async function cancel(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Cancel plan" }).click();
  await page.getByRole("button", { name: "Cancel plan" }).click();
  await expect(page).toHaveURL("/dashboard");
  // The dialog's page has that address, too.
  await expect(page.getByRole("dialog")).toHaveCount(0);
}
