import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import { createMembers } from "../../app/waitlist/members.fixture.ts";
import { countMails, linkIn, mailTo } from "../mail.ts";
import type { TestServer } from "../server.ts";
import { expectNoScript } from "./documents.ts";
import { expect, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";

const newAddress = () => `${randomUUID()}@example.com`;

async function join(page: Page, email: string, from = "/waitlist") {
  await page.goto(from);
  await page.getByLabel("Email address").fill(email);
  await page.getByRole("button", { name: "Join Waitlist" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Check your email");
}

/** Joins, and confirms by the mail's link. Leaves the page at the place. */
async function joinAndConfirm(page: Page, server: TestServer, from?: string): Promise<string> {
  const email = newAddress();
  await join(page, email, from);
  await page.goto(linkIn(await mailTo(server, email, /^Confirm/), "/waitlist/confirm"));
  await page.getByRole("button", { name: "Confirm my place" }).click();
  await expect(page).toHaveURL(/\/waitlist\/place\?token=/);
  return email;
}

async function numberOf(page: Page): Promise<number> {
  const heading = await page.getByRole("heading", { level: 1 }).textContent();
  return Number(/^You are number (\d+)$/.exec(heading ?? "")?.[1]);
}

const shareField = (page: Page) => page.getByText(/\/waitlist\?ref=[2-9a-z]{10}$/);
const linkToShare = async (page: Page) => (await shareField(page).textContent()) ?? "";

test("join, confirm by mail, see the place, leave", async ({ page, context, server }) => {
  const email = newAddress();
  await page.goto("/pricing");
  await expect(page.getByRole("heading", { name: "Join the beta waitlist" })).toBeVisible();
  await page.getByText("Tell us a little more (optional)").click();
  await page.getByLabel("Name").fill("Ada");
  await page.getByLabel("What do you use today?").fill("A notebook");
  await page.getByLabel("Email address").fill(email.toUpperCase());
  await page.getByRole("button", { name: "Join Waitlist" }).click();
  await expect(page).toHaveURL("/waitlist/sent");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Check your email");
  await expect(page.getByRole("link", { name: "Open its mailbox" })).toHaveAttribute("href", "/sandbox/mail");
  await expectNoScript(page);

  const confirm = linkIn(await mailTo(server, email, /^Confirm your place/), "/waitlist/confirm");
  await page.goto(confirm);
  await expectNoScript(page);
  await page.reload();
  await page.getByRole("button", { name: "Confirm my place" }).click();
  await expect(page).toHaveURL(/\/waitlist\/place\?token=[\w-]{80}$/);
  expect(await numberOf(page)).toBeGreaterThan(0);
  await expect(page.getByRole("main")).toContainText("No friends have joined yet.");
  await page.goto(confirm);
  await expect(page).toHaveURL(/\/waitlist\/place\?token=/);

  const welcome = await mailTo(server, email, /^You’re on the Ownwords waitlist$/);
  expect(welcome.text).toContain(await linkToShare(page));
  await page.goto(linkIn(welcome, "/waitlist/leave"));
  await page.getByRole("link", { name: "Keep my place" }).click();
  await expect(page).toHaveURL(/\/waitlist\/place\?token=/);
  await page.getByRole("link", { name: "Leave the list" }).click();
  await expectNoScript(page);
  await page.getByRole("button", { name: "Leave the waitlist" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("You’ve left the waitlist");
  await page.goto(linkIn(welcome, "/waitlist/leave"));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("You’ve left the waitlist");
  await page.goto(confirm);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("This waitlist link no longer works");
  expect((await server.pool.query("SELECT FROM waitlist WHERE email = $1", [email])).rowCount).toBe(0);
  expect(await context.cookies()).toEqual([]);
});

test("from the home page it takes one field and one press", async ({ page, server }) => {
  const email = newAddress();
  await page.goto("/");
  await page.getByLabel("Email address").first().fill(email);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL("/waitlist/sent");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Check your email");
  await mailTo(server, email, /^Confirm your place/);
});

test("a wrong address in the home page's form is put right in the whole one", async ({ page }) => {
  await page.goto("/");
  await page.getByLabel("Email address").first().fill("ada");
  await page.getByRole("button", { name: "Join Waitlist" }).first().click();
  await expect(page).toHaveURL("/waitlist");
  await expect(page.getByRole("alert")).toContainText("You are not on the list yet");
  await expect(page.getByLabel("Email address")).toHaveValue("ada");
  await expect(page.getByText("Tell us a little more (optional)")).toBeVisible();
});

test("the link to share is copied by a button, and shared where the browser can", async ({
  page,
  context,
  server,
  browserName,
}) => {
  test.skip(browserName === "firefox", "Firefox has no permission to read the clipboard");
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "share", {
      value: async ({ url }: ShareData) => document.body.setAttribute("data-shared", url ?? ""),
    });
  });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await joinAndConfirm(page, server);
  const link = await linkToShare(page);
  await page.getByRole("button", { name: "Copy link" }).click();
  await expect(page.getByRole("status")).toHaveText("Link copied");
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(link);
  await page.getByRole("button", { name: "Share…" }).click();
  await expect(page.locator("body")).toHaveAttribute("data-shared", link);
});

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("one press selects the link to share, and links lead to where it can be posted", async ({
    page,
    server,
  }) => {
    const [member] = await createMembers(server.pool, 1, true);
    await page.goto(`/waitlist/place?token=${member?.token}`);
    const link = await linkToShare(page);
    await shareField(page).click();
    expect(await page.evaluate(() => getSelection()?.toString())).toBe(link);
    await expect(page.getByRole("button", { name: /Copy|Share/ })).toHaveCount(0);
    const shares = page.getByRole("main").getByRole("link", { name: /^Share/ });
    await expect(shares).toHaveCount(3);
    for (const share of await shares.all())
      expect(await share.getAttribute("href")).toContain(encodeURIComponent(link));
  });
});

test("a known address gets the same page, and a mail that says so", async ({ page, server }) => {
  const email = await joinAndConfirm(page, server);
  const place = page.url();
  await join(page, email);
  const known = await page.getByRole("main").textContent();
  const stranger = newAddress();
  await join(page, stranger);
  const neutral = (text: string | null, address: string) => text?.replaceAll(new RegExp(address, "gi"), "…");
  expect(neutral(await page.getByRole("main").textContent(), stranger)).toBe(neutral(known, email));
  const mail = await mailTo(server, email, /^You’re already on/);
  expect(place).toContain(linkIn(mail, "/waitlist/place"));
});

test("sent again three times and no more", async ({ page, server }) => {
  const email = newAddress();
  const written = await countMails(server, async () => {
    await join(page, email);
    await expect(page.getByRole("main")).toContainText("up to 3 times a day");
    for (let time = 0; time < 4; time++) {
      await page.getByRole("link", { name: "Enter your address again" }).click();
      await join(page, email);
    }
  });
  expect(written).toBe(4);
});

test("what cannot be an address is said so at its field, and kept", async ({ page }) => {
  await page.goto("/pricing");
  await page.getByLabel("Email address").fill("ada");
  await page.getByText("Tell us a little more (optional)").click();
  await page.getByLabel("What do you use today?").fill("A notebook");
  await page.getByRole("button", { name: "Join Waitlist" }).click();
  await expect(page).toHaveURL("/waitlist");
  await expect(page).toHaveTitle(/^Error: Join the waitlist · /);
  const summary = page.getByRole("alert");
  await expect(summary).toContainText("You are not on the list yet");
  await expect(summary.locator("..")).toBeFocused();
  const field = page.getByLabel("Email address");
  await expect(field).toHaveAccessibleDescription("Enter an email address like name@example.com");
  await expect(field).toHaveValue("ada");
  await expect(page.getByLabel("What do you use today?")).toHaveValue("A notebook");
  expect((await summary.getByRole("link").boundingBox())?.height).toBeGreaterThanOrEqual(44);
  await summary.getByRole("link").click();
  await expect(page).toHaveURL(/#join-email$/);
});

test("a friend who confirms moves a member up five places, and no name is shown", async ({
  page,
  server,
}) => {
  await createMembers(server.pool, 6, true);
  const email = await joinAndConfirm(page, server);
  const place = page.url();
  const before = await numberOf(page);
  const link = await linkToShare(page);
  await page.goto(link);
  await expect(page.getByText("A friend invited you.")).toBeVisible();
  expect(await page.content()).not.toContain(email);
  await joinAndConfirm(page, server, link);
  await page.goto(place);
  expect(await numberOf(page)).toBe(before - 5);
  await expect(page.getByRole("main")).toContainText("Friends joined: 1");
});

test.describe("accessible", () => {
  test("no accessibility fault, nothing wider than its window", async ({ page, server }) => {
    test.slow();
    const check = () => expectSound(page);
    await page.goto("/waitlist?ref=abcdefgh23");
    await check();
    await page.getByRole("button", { name: "Join Waitlist" }).click();
    await expect(page.getByRole("alert")).toBeVisible();
    await check();
    const email = newAddress();
    await join(page, email);
    await check();
    const mail = await mailTo(server, email, /^Confirm/);
    await page.goto(linkIn(mail, "/waitlist/confirm"));
    await check();
    await page.getByRole("button", { name: "Confirm my place" }).click();
    await expect(page).toHaveURL(/\/waitlist\/place/);
    await check();
    await page.getByRole("link", { name: "Leave the list" }).click();
    await check();
    await page.getByRole("button", { name: "Leave the waitlist" }).click();
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("You’ve left the waitlist");
    await check();
    await page.goto("/waitlist/place?token=none");
    await check();
    await page.goto("/contact");
    await check();
    await page.getByRole("button", { name: "Send" }).click();
    await expect(page.getByRole("alert")).toBeVisible();
    await check();
    await page.goto("/contact/sent");
    await check();
  });
});
