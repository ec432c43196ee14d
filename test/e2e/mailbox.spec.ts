import { expectNoScript } from "./documents.ts";
import { expect, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";

const HTML = `<!doctype html><html lang="en"><head><title>x</title><style>p { color: #1b1a17 }</style></head>
  <body style="background: #fbf6ea"><p style="font-weight: 700">Hello Ada</p><a href="/faq">Confirm my place</a></body></html>`;

async function writeMail(
  pool: { query(text: string, values: unknown[]): Promise<unknown> },
  subject: string,
) {
  const mail = {
    to: "ada@example.com",
    subject,
    text: "Confirm my place:\nhttps://own.example/faq",
    html: HTML,
  };
  await pool.query("INSERT INTO outbox (kind, payload) VALUES ('send_mail', $1)", [JSON.stringify(mail)]);
}

test("a mail is found, read, and its link followed", async ({ page, server }) => {
  const subject = "Confirm";
  await writeMail(server.pool, subject);
  await expect(async () => {
    await page.goto("/sandbox/mail");
    await page.getByRole("link", { name: subject, exact: true }).click({ timeout: 500 });
  }).toPass();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(subject);
  await expectNoScript(page);
  await expect(page.getByText("ada@example.com")).toBeVisible();
  await expect(page.getByText("https://own.example/faq")).toBeVisible();
  const letter = page.frameLocator("iframe");
  await expect(letter.getByText("Hello Ada")).toHaveCSS("font-weight", "700");
  await letter.getByRole("link", { name: "Confirm my place" }).click();
  await expect(page).toHaveURL("/faq");
});

test.describe("accessible", () => {
  test("no accessibility fault and nothing too wide", async ({ page, server }) => {
    // The frame shows a stranger's document and runs nothing, not even axe.
    const check = () => expectSound(page, "iframe");
    const subject = `Look ${"x".repeat(60)}`;
    await writeMail(server.pool, subject);
    await expect(async () => {
      await page.goto("/sandbox/mail");
      await expect(page.getByRole("link", { name: subject, exact: true })).toBeVisible({ timeout: 500 });
    }).toPass();
    await check();
    await page.getByRole("link", { name: subject, exact: true }).click();
    await check();
    await page.goto("/sandbox/mail/0");
    await check();
  });
});
