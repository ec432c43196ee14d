import { expect, test } from "vitest";
import { eventually } from "../../test/http.ts";
import { startServer } from "../../test/server.ts";
import { connectPayments } from "../billing/stripe.server.ts";

const textOf = async (url: string) => (await fetch(url)).text();

test("the year turns on New Year's Eve, without a restart", async () => {
  // The process's own clock, which a signal moves across midnight.
  const shift = `
    const { now } = Date;
    let ahead = Date.UTC(2030, 11, 31, 22) - now();
    Date.now = () => now() + ahead;
    globalThis.Date = class extends Date {
      constructor(...args) { args.length ? super(...args) : super(Date.now()); }
    };
    process.on("SIGUSR2", () => { ahead += 3 * 60 * 60 * 1000; });`;
  const server = await startServer({
    NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(shift)}`,
  });
  const year = async () => /© (\d+)/.exec(await textOf(`${server.origin}/faq`))?.[1];
  expect(await year()).toBe("2030");
  server.child.kill("SIGUSR2");
  await eventually(async () => (await year()) === "2031", "the year turns");
  await server.stop();
});

test("a page says what the payments store says, a moment after it changed there", async () => {
  const server = await startServer();
  const payments = connectPayments(
    { mode: "sandbox", secretKey: "sk_test_sandbox", webhookSecret: "unused" },
    `${server.origin}/sandbox/stripe`,
  );
  if (!payments.isOn) throw new Error(payments.reason);
  const pricing = () => textOf(`${server.origin}/pricing`);
  expect(await pricing()).toContain("$49.99");
  await payments.stripe.prices.create({
    product: "prod_csv_banking",
    currency: "usd",
    unit_amount: 5555,
    recurring: { interval: "year" },
  });
  await payments.stripe.prices.update("price_csv_banking_yearly", { active: false });
  await eventually(
    async () => (await pricing()).includes("$55.55") && !(await pricing()).includes("$49.99"),
    "the new price is shown instead of the old one",
  );
  await server.stop();
});
