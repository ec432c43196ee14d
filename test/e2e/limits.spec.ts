import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { expectNoScript } from "./documents.ts";
import { expect, test } from "./fixtures.ts";

/** Sends a form some times as this very browser would. */
async function send(page: Page, origin: string, path: string, times: number, fields: () => object) {
  for (let sent = 0; sent < times; sent++)
    await page.request.post(path, { headers: { origin }, form: { ...fields() } });
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    test("too many codes: the field says how long to wait, and keeps what is in it", async ({
      page,
      server,
      openSignedIn,
    }) => {
      await openSignedIn("/subscription");
      await send(page, server.origin, "/subscription", 10, () => ({ form: "promo", code: randomUUID() }));
      const field = page.getByRole("textbox", { name: "Promo code" });
      await field.fill("PREMIUM3");
      await page.getByRole("button", { name: "Apply code" }).click();
      await expect(field).toHaveAccessibleDescription(/^Wait \d+ seconds? and try again$/);
      await expect(field).toHaveValue("PREMIUM3");
      await expect(page).toHaveURL("/subscription");
    });
  });
}

test("too many addresses: the list says how long to wait, and keeps what was typed", async ({
  page,
  server,
}) => {
  await send(page, server.origin, "/waitlist", 20, () => ({ email: `${randomUUID()}@example.com` }));
  await page.goto("/pricing");
  await expectNoScript(page);
  await page.getByLabel("Email address").fill("ada@example.com");
  await page.getByRole("button", { name: "Join Waitlist" }).click();
  await expect(page.getByRole("alert")).toContainText(/Wait \d+ minutes and try again/);
  await expectNoScript(page);
  await expect(page.getByLabel("Email address")).toHaveValue("ada@example.com");
});
