import { pino } from "pino";
import { expect, test } from "vitest";
import { readConfig } from "../../config/config.server.ts";
import { setupLife, subscribe } from "../sync/life.fixture.ts";
import { askForPlan } from "./ask.server.ts";
import { listInvoices } from "./plan-overview.server.ts";

const life = setupLife();

const app = () => ({
  config: readConfig({ AUTH_SECRET: "x".repeat(32) }),
  db: life.database.db,
  payments: { isOn: true as const, stripe: life.stripe, webhookSecret: "unused", checkoutOrigins: [] },
  log: pino({ level: "silent" }),
});

test("nobody can pay any more for a plan that they have cancelled while a payment was due", async () => {
  const person = await subscribe(life);
  await person.payWith("pm_card_chargeCustomerFail");
  await person.pass(32);
  expect(await person.subscription()).toMatchObject({ status: "past_due" });
  const asked = await askForPlan(app(), person.userId, { kind: "cancel", reason: null, comment: null });
  expect(asked).toEqual({ ok: true });
  expect(await person.subscription()).toMatchObject({ status: "canceled" });
  const { data } = await life.stripe.invoices.list({ customer: person.customer });
  expect(data.map(({ status }) => status)).toEqual(["void", "paid"]);
});

test("an invoice of a plan that has ended leads to no page to pay it on", async () => {
  const person = await subscribe(life);
  await person.payWith("pm_card_chargeCustomerFail");
  await person.pass(32);
  await person.pass(15);
  expect(await person.subscription()).toMatchObject({ status: "canceled" });
  const [unpaid, paid] = await listInvoices(life.database.db, person.userId, 10);
  expect(unpaid).toMatchObject({ status: "open", hostedUrl: null });
  expect(paid).toMatchObject({ status: "paid", hostedUrl: expect.any(String) });
});
