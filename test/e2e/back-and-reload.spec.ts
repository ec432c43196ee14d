import type { Page } from "@playwright/test";
import { signTime } from "../../app/contact/fill-time.server.ts";
import { appEntrances } from "../entrances.ts";
import { createOperator } from "../operator.ts";
import { AUTH_SECRET, type TestServer } from "../server.ts";
import { createPerson, verify } from "../users.ts";
import { expectNoScript } from "./documents.ts";
import { expect, signIn, test } from "./fixtures.ts";
import { IN_MOTION } from "./looks.ts";

// Whatever a form is answered with, Back, Forward and reload show a page and do nothing again: each form of each page of
// routes.ts, so that a new one cannot be forgotten.

test.use(IN_MOTION);

/** Routes with an action whose forms are not on their own page as it is opened here, and why. */
const ELSEWHERE = new Map([
  ["/promo/redeem", "of a script"],
  ["/logout", "in the header of every account page"],
  ["/webhooks/stripe", "of Stripe"],
  ["/v1/accounts:update", "of programs"],
  ["/functions/us-central1/createCheckoutSession", "of programs"],
  ["/functions/nowhere", "of programs"],
  ["/v1/nowhere", "of programs"],
  ["/api/nowhere", "of programs"],
  ["/api/token", "of programs"],
  ["/nowhere", "a page that does not exist"],
  ["/auth/start/google", "the buttons of /login, which lead away"],
  ["/auth/callback/google", "of the provider"],
  ["/auth/passkey-options", "of a script"],
  ["/auth/handoff", "of the hosted app"],
  ["/waitlist/confirm", "needs a link; waitlist.spec.ts"],
  ["/waitlist/leave", "needs a link; waitlist.spec.ts"],
  ["/reset-password", "needs a link; account-mail.spec.ts"],
  ["/verify-email", "needs a link; account-mail.spec.ts"],
  ["/verify-email/sent", "on /account"],
  ["/account/email/confirm", "needs a link; profile.spec.ts"],
  ["/login/second-factor", "needs a sign-in that waits; second-factor.spec.ts"],
  ["/account/confirm/second-factor", "needs a second factor; second-factor.spec.ts"],
  ["/account/second-factor/app", "shows a secret, which no browser may store"],
  ["/account/second-factor/codes", "shows secrets, which no browser may store; second-factor.spec.ts"],
  ["/account/second-factor/passkey", "of a script"],
  ["/news/unsubscribe", "needs a link; changelog.site.test.ts"],
  ["/account/time-zone", "of a script"],
  ["/admin/people/:id/money", "needs a plan that is paid for; operator.spec.ts"],
  ["/admin/changelog/5c1e7a52-0000-4000-8000-000000000000", "needs an entry"],
  ["/subscription", "its form for a code is that of /test-promo; payments lead away, subscribe.spec.ts"],
  ["/subscription/cancel", "needs a plan that is paid for; plan.spec.ts"],
  ["/subscription/change", "needs a plan that is paid for; plan.spec.ts"],
  ["/subscription/refund", "needs a plan that is paid for; plan.spec.ts"],
  ["/subscription/withdraw", "needs a plan that is paid for; plan.spec.ts"],
  ["/dashboard", "needs a plan that is paid for; plan.spec.ts"],
  ["/account/connections", "the buttons of providers; providers.spec.ts"],
  ["/account/sessions", "needs a second session; profile-pages.spec.ts"],
  ["/admin/people/:id", "its forms are walked by console-people.spec.ts; one downloads a file"],
  ["/admin/people/:id/export", "a file"],
  ["/admin/batches/9b2e6f0a-0000-4000-8000-000000000000", "needs a batch"],
  ["/admin/waitlist/invite", "needs a person on the waitlist"],
  ["/admin/messages/message_1", "needs a message"],
  ["/admin/messages", "needs a message that waits"],
  ["/admin/mail", "needs a mail that was not sent"],
  ["/admin/mail/1", "needs a mail that was not sent"],
  ["/admin/jobs", "needs a job that fails"],
  ["/v1/projects", "of programs"],
  ["/.well-known/jwks.json", "of programs"],
]);

const PAGES = [...new Set(appEntrances().flatMap(({ method, path }) => (method === "POST" ? path : [])))]
  .map((path) => path.replace("/people/cus_1", "/people/:id"))
  // The list has links to it.
  .map((path) => path.replace(/^\/admin\/features$/, "$&?open=csv_processing"))
  .filter((path) => !ELSEWHERE.has(path));

/** Those without scripts, which are the same with and without. */
const PLAIN = new Set(["/contact", "/waitlist"]);

/** Those that change by themselves, or with every request. */
const RESTLESS = [
  "rate_limits",
  "outbox",
  "mails",
  "processes",
  "page_views",
  "session",
  "figures",
  "counted",
  "to_count",
  "standing",
];

/** How many rows there are of everything a form can write. */
async function countRows({ pool }: TestServer): Promise<string> {
  const { rows: tables } = await pool.query(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = 'public' AND table_type = 'BASE TABLE'",
  );
  const counts = tables
    .filter(({ name }) => !RESTLESS.some((restless) => name.includes(restless)))
    .map(({ name }) => `SELECT '${name}' AS what, count(*) AS count FROM "${name}"`);
  const { rows } = await pool.query(
    [...counts, "SELECT 'uses', sum(used_count) FROM promo_codes"].join(" UNION ALL "),
  );
  return rows
    .map(({ what, count }) => `${what} ${count}`)
    .sort()
    .join("\n");
}

/** What a page shows, without what is new each time it is opened. */
const headingOf = (page: Page) => page.locator("h1").first().textContent();

const isIdle = () => new Promise<boolean>((resolve) => requestIdleCallback(() => resolve(true)));

/** Fills a form in as a person would. */
async function fill(page: Page, index: number): Promise<void> {
  const values: Record<string, string> = {
    email: `${crypto.randomUUID()}@example.com`,
    name: "Ada",
    message: `Hello ${crypto.randomUUID()}`,
    topic: "idea",
    password: "correct horse battery",
    current_password: "correct horse battery",
    code: "WELCOME",
    category_1: "Coffee",
    opened_at: signTime(Date.now() - 60_000, AUTH_SECRET),
  };
  await page
    .locator('main form[method="post"]:not([action^="/auth/"])')
    .nth(index)
    .evaluate((form: HTMLFormElement, given) => {
      form.noValidate = true;
      for (const [name, value] of Object.entries(given)) {
        const field = form.querySelector<HTMLInputElement>(`[name="${name}"]:not([type="radio"])`);
        if (field) field.value = value;
      }
    }, values);
}

async function openPage(page: Page, path: string, server: TestServer): Promise<void> {
  if (path.startsWith("/admin")) {
    const [operator, person] = [await createOperator(server.pool), await createPerson(server.pool)];
    await signIn(page.context(), server, operator);
    await page.goto(path.replace(":id", person.id));
  } else {
    if (!/^\/(contact|waitlist|login|register|forgot-password)$/.test(path)) {
      const person = await createPerson(server.pool);
      await verify(server, person);
      await signIn(page.context(), server, person);
    }
    await page.goto(path);
  }
}

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with scripts" : "without scripts", () => {
    test.use({ javaScriptEnabled });
    for (const path of PAGES) {
      if (!javaScriptEnabled && PLAIN.has(path)) continue;
      test(`Back, Forward and reload after each form of ${path}`, async ({ page, context, server }) => {
        test.setTimeout(180_000);
        let forms = 1;
        for (let index = 0; index < forms; index++) {
          await context.clearCookies();
          // Something to go back to.
          await page.goto("/robots.txt");
          await openPage(page, path, server);
          if (PLAIN.has(path)) await expectNoScript(page);
          forms = await page.locator('main form[method="post"]:not([action^="/auth/"])').count();
          expect(forms, "the page has a form, or says in ELSEWHERE why not").toBeGreaterThan(0);
          const form = page.locator('main form[method="post"]:not([action^="/auth/"])').nth(index);
          const button = form.locator('button:not([type="button"])').first();
          // The prices of the other period, and what is folded away.
          if (!(await button.isVisible())) continue;
          await fill(page, index);
          const answered = page.waitForResponse((response) => response.request().method() === "POST");
          await button.click();
          await answered;
          // Not for the answer's end: a document that follows it may cut it off.
          await page.waitForLoadState();
          await expect(page.locator('form[aria-busy="true"]')).toHaveCount(0);
          // It may lead to another site, such as the payment page.
          if (
            new URL(page.url()).origin !== new URL(server.origin).origin ||
            page.url().includes("/sandbox/")
          )
            continue;
          // The router changes the form and the address a moment before the page.
          if (javaScriptEnabled) await page.waitForFunction(isIdle);
          await expect(page.locator("h1").first()).toBeVisible();
          const heading = await headingOf(page);
          const rows = await countRows(server);
          await page.goBack();
          await page.goForward();
          await expect(page.locator("h1").first()).toHaveText(heading ?? "");
          await page.reload();
          await expect(page.locator("h1").first()).toBeVisible();
          expect(await countRows(server)).toBe(rows);
        }
        // One of the forms pauses it.
        await server.pool.query("UPDATE promo_codes SET active = true WHERE code = 'WELCOME'");
      });
    }
  });
}
