import { execFile } from "node:child_process";
import { expect, test } from "vitest";
import { COMPILE_CACHE } from "../test/compile-cache.ts";
import { databaseSettings } from "../test/database.ts";
import { call, checkoutOf, control, eventually, pay } from "../test/http.ts";
import { setupServer } from "../test/server.fixture.ts";
import { createPerson } from "../test/users.ts";

const server = setupServer();

/** The command as an operator runs it beside the server: the sandbox is the server's. */
async function reconcile(...args: string[]): Promise<{ code: number; printed: string }> {
  const { rows } = await server.pool.query("SELECT current_database() AS name");
  const url = new URL(process.env.TEST_DATABASE_URL ?? "");
  url.pathname = `/${rows[0].name}`;
  const env = { ...COMPILE_CACHE, PATH: process.env.PATH, ...databaseSettings(url.href), PORT: server.port };
  return new Promise((resolve) => {
    execFile(process.execPath, ["bin/reconcile.ts", ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), printed: stdout + stderr }),
    );
  });
}

test("a payment whose webhooks are lost is found and mailed by the command, and then nothing differs", async () => {
  const person = await createPerson(server.pool);
  await control(server, { webhooks: "hold" });
  const { result } = await (await call(server, checkoutOf(server), person.cookie)).json();
  await pay(result.url);
  await server.pool.query("TRUNCATE sandbox_stripe.deliveries");
  await control(server, { webhooks: "deliver" });

  const found = await reconcile();
  expect(found.printed).toContain("1 × subscription missing");
  expect(found.code).toBe(1);
  await eventually(async () => {
    const mails = await (await fetch(`${server.origin}/sandbox/mail.json`)).json();
    return mails.some(
      ({ subject, html }: { subject: string; html: string }) =>
        subject === "Receipt: $49.99 for CSV + Banking" && html.includes("You paid $49.99"),
    );
  }, "the receipt");

  const again = await reconcile("--json");
  expect(JSON.parse(again.printed)).toMatchObject({ customers: 1, drift: [], failed: [], isComplete: true });
  expect(again.code).toBe(0);
});

test("Stripe that is away, and a word it does not know, are neither sound nor mended", async () => {
  await control(server, { api: "down" });
  expect(await reconcile()).toMatchObject({ code: 2, printed: expect.stringContaining("was not compared") });
  await control(server, { api: "up" });
  expect(await reconcile("--everything")).toMatchObject({
    code: 2,
    printed: expect.stringContaining("Usage"),
  });
});
