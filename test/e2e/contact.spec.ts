import { randomUUID } from "node:crypto";
import { mailTo } from "../mail.ts";
import { expectNoScript } from "./documents.ts";
import { expect, test } from "./fixtures.ts";

test("a message: nothing filled in, then all of it, and it is on its way", async ({
  page,
  context,
  server,
}) => {
  await page.goto("/contact?topic=business");
  await expectNoScript(page);
  await expect(page.getByRole("link", { name: /community chat on Discord/ })).toBeVisible();
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page).toHaveTitle(/^Error: Contact Us · /);
  await expectNoScript(page);
  const summary = page.getByRole("alert");
  await expect(summary).toContainText("Your message has not been sent yet");
  await expect(summary.locator("..")).toBeFocused();
  await expect(page.getByLabel("Name")).toHaveAccessibleDescription("Enter your name");
  await expect(page.getByLabel("Email address")).toHaveAccessibleDescription(/Enter your email address/);
  await expect(page.getByLabel("Message")).toHaveAccessibleDescription(/Write your message/);
  await expect(page.getByLabel("What’s this about?")).toHaveValue("business");
  for (const link of await summary.getByRole("link").all()) {
    expect((await link.boundingBox())?.height).toBeGreaterThanOrEqual(44);
  }
  await page.getByRole("link", { name: "Enter your name" }).click();
  await expect(page).toHaveURL(/#contact-name$/);

  const message = `Seven of us share one account.\n\nCan we? ${randomUUID()}`;
  await page.getByLabel("Name").fill("Grace");
  await page.getByLabel("Email address").fill("ada@example.com");
  await page.getByLabel("Message").fill(message);
  await page.getByRole("button", { name: "Send" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Message sent");
  await expectNoScript(page);
  const mail = await mailTo(
    server,
    "support@ownwords.example",
    /^Custom business solution: \u2068Grace\u2069$/,
  );
  expect(mail.text).toContain("Seven of us share one account.");
  const { rows } = await server.pool.query("SELECT FROM contact_messages WHERE message = $1", [message]);
  expect(rows).toHaveLength(1);
  expect(await context.cookies()).toEqual([]);
});

test("after Back, other words go too, with one more press at most", async ({ page, server }) => {
  await page.goto("/contact?topic=business");
  const email = `${randomUUID()}@example.com`;
  for (const message of ["One thing.", "And another."]) {
    await page.getByLabel("Name").fill("Ada");
    await page.getByLabel("Email address").fill(email);
    await page.getByLabel("Message").fill(message);
    await page.getByRole("button", { name: "Send" }).click();
    await page.waitForLoadState();
    const refusal = page.getByText("To send this one too, press Send again.");
    await expect(refusal.or(page.getByText("Message sent").first())).toBeVisible();
    if (await refusal.isVisible()) {
      await expect(page.getByLabel("Message")).toHaveValue(message);
      await page.getByRole("button", { name: "Send" }).click();
    }
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("Message sent");
    if (message === "One thing.") await page.goBack();
  }
  const { rows } = await server.pool.query("SELECT FROM contact_messages WHERE email = $1", [email]);
  expect(rows).toHaveLength(2);
});

test("the field for robots is out of a person's way", async ({ page }) => {
  await page.goto("/contact");
  await expect(page.getByRole("textbox", { name: "Leave this empty" })).toHaveCount(0);
  await page.getByLabel("Message").focus();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("button", { name: "Send" })).toBeFocused();
});
