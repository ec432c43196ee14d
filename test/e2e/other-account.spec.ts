import { randomUUID } from "node:crypto";
import type { Page } from "@playwright/test";
import routes from "../../app/routes.ts";
import { ACCOUNT_FIELD, otherAccountSentence } from "../../app/ui/account-mark.ts";
import { fillConsole } from "../console.ts";
import { routeFiles } from "../entrances.ts";
import { everyRow } from "../every-row.ts";
import { allJobsDone, postForm } from "../http.ts";
import { linkIn, mailTo } from "../mail.ts";
import { openPayer, PLAN_STATES } from "../plan-states.ts";
import { createAppOwner } from "../second-factor.ts";
import { startServer, type TestServer } from "../server.ts";
import {
  connectProvider,
  createPerson,
  makeStale,
  type Person,
  signInAgain,
  signUp,
  verify,
} from "../users.ts";
import { expect, signIn, test } from "./fixtures.ts";

/** What is asked for besides a route's path, for a page that shows less without. */
const QUERIES = new Map([
  ["/subscription/change", ["", "?price=price_csv_only_monthly"]],
  ["/subscription", ["", "?promo=PREMIUM3", "?plan=prod_csv_only&billing=monthly"]],
]);

/** Routes of signed-in pages that cannot be opened directly. */
const NEVER_SEEN = ["/account/other"];

/** The addresses of routes.ts below a layout. */
function pathsBelow(id: string): string[] {
  const found = routes.find((route) => route.id === id);
  if (!found) throw new Error(`routes.ts has no ${id}`);
  return routeFiles([found]).map(({ path }) => path);
}

interface SentForm {
  /** The page it is on. */
  page: string;
  path: string;
  fields: Record<string, string>;
}

/** Every form of a document which changes something, as a browser would send it. */
async function formsIn(page: Page, html: string, at: URL): Promise<SentForm[]> {
  const found = await page.evaluate((text) => {
    const { forms } = new DOMParser().parseFromString(text, "text/html");
    return Array.from(forms)
      .filter((form) => form.getAttribute("method")?.toLowerCase() === "post")
      .map((form) => ({
        action: form.getAttribute("action") ?? "",
        fields: [...new FormData(form)].map(([name, value]) => [name, `${value}`]),
      }));
  }, html);
  return found.map(({ action, fields }) => {
    const url = new URL(action || at.href, at);
    return { page: at.pathname, path: url.pathname + url.search, fields: Object.fromEntries(fields) };
  });
}

/** The forms of the page at an address, fetched without being shown, and where it was. */
async function fetchForms(page: Page, address: string) {
  const answer = await page.request.get(address);
  const at = new URL(answer.url());
  return { at, status: answer.status(), forms: await formsIn(page, await answer.text(), at) };
}

/**
 * Sends forms of A's pages as C, whose browser it is by now, and expects that each says so and none does anything.
 *
 * @param seen what has been sent before, with the same values: it is left out
 */
async function expectRefused(
  server: TestServer,
  forms: SentForm[],
  a: Person,
  c: Person,
  seen: Set<string>,
): Promise<void> {
  const before = await everyRow(server);
  const sentence = otherAccountSentence(c.email, a.email);
  for (const { page, path, fields } of forms) {
    const { [ACCOUNT_FIELD]: mark, ...others } = fields;
    expect(mark, `the form of ${page} for ${path} ${JSON.stringify(others)} says whose it is`).toBeTruthy();
    const key = JSON.stringify([path, others]);
    if (seen.has(key)) continue;
    seen.add(key);
    const answer = await postForm(server, path, fields, c.cookie);
    const html = await answer.text();
    expect([path, answer.status, html.includes(sentence)]).toEqual([path, 409, true]);
    for (const value of Object.values(others)) if (/^\w{2,}$/.test(value)) expect(html).toContain(value);
  }
  expect(await everyRow(server)).toEqual(before);
}

test.describe("every form of every signed-in page", () => {
  test.use({ javaScriptEnabled: false });

  test("names its account, and does nothing for another", async ({ page, context, server }) => {
    test.setTimeout(600_000);
    const paths = pathsBelow("signed-in");
    const reached = new Set<string>();
    const seen = new Set<string>();
    const c = await openPayer(server);
    await verify(server, c);

    /** Opens the pages as a user and collects their forms. */
    async function visit(who: Person, asked: readonly string[]): Promise<SentForm[]> {
      await signIn(context, server, who);
      const forms: SentForm[] = [];
      for (const path of asked)
        for (const query of QUERIES.get(path) ?? [""]) {
          const { at, status, forms: found } = await fetchForms(page, path + query);
          if (status === 200 && at.pathname !== "/login") reached.add(at.pathname);
          forms.push(...found);
        }
      await allJobsDone(server);
      return forms;
    }

    await test.step("a new user, whose address is to be confirmed", async () => {
      const a = await signUp(server);
      const verifying = linkIn(await mailTo(server, a.email, /onfirm/), "/verify-email");
      await expectRefused(server, await visit(a, [...paths, verifying]), a, c, seen);
    });

    await test.step("a user with two devices, a provider and a change of address", async () => {
      const a = await createPerson(server.pool);
      await verify(server, a);
      await connectProvider(server, a, "google");
      await signInAgain(server, a.email);
      const wanted = `${randomUUID()}@example.com`;
      await postForm(server, "/account/email", { email: wanted }, a.cookie);
      const link = linkIn(await mailTo(server, wanted, /onfirm/), "/account/email/confirm");
      const forms = await visit(a, [...paths, link]);
      await makeStale(server, a);
      forms.push(...(await visit(a, ["/account/confirm", "/account/delete"])));
      await expectRefused(server, forms, a, c, seen);
    });

    await test.step("a user with a second factor", async () => {
      const { app: _, ...a } = await createAppOwner(server);
      const forms = await visit(a, paths);
      await server.pool.query(
        "UPDATE session SET second_factor_at = now() - interval '1 day' WHERE user_id = $1",
        [a.id],
      );
      forms.push(...(await visit(a, ["/account/confirm/second-factor"])));
      const beginner = await createPerson(server.pool);
      await verify(server, beginner);
      await postForm(server, "/account/second-factor", { do: "begin-app" }, beginner.cookie);
      await expectRefused(server, await visit(beginner, ["/account/second-factor/app"]), beginner, c, seen);
      await expectRefused(server, forms, a, c, seen);
    });

    await test.step("a user with a plan, in each of its states", async () => {
      const a = await openPayer(server);
      await verify(server, a);
      const forms = await visit(a, paths);
      await page.goto("/subscription/withdraw");
      await page.getByRole("button", { name: "Withdraw from contract here" }).click();
      await expect(page.getByRole("heading", { name: "Confirm your withdrawal" })).toBeVisible();
      forms.push(...(await formsIn(page, await page.content(), new URL(page.url()))));
      await expectRefused(server, forms, a, c, seen);
      const ofPlans = paths.filter((path) => /^\/(subscription|dashboard)/.test(path));
      for (const [name, putInto] of Object.entries(PLAN_STATES))
        await test.step(name, async () => {
          await putInto(server.pool, a);
          await expectRefused(server, await visit(a, ofPlans), a, c, seen);
        });
    });

    expect(paths.filter((path) => !reached.has(path))).toEqual(NEVER_SEEN);
  });

  test("of the console, too", async ({ page, context }) => {
    test.setTimeout(600_000);
    // Of its own: it leaves jobs that are never done, which other tests would wait for.
    const server = await startServer();
    const { operator, pages } = await fillConsole(server);
    const c = await createPerson(server.pool);
    await signIn(context, server, operator);
    const forms: SentForm[] = [];
    for (const path of pages.values()) forms.push(...(await fetchForms(page, server.origin + path)).forms);
    expect(new Set(forms.map(({ page }) => page)).size).toBeGreaterThan(8);
    await expectRefused(server, forms, operator, c, new Set());
    await server.stop();
  });

  test("but for public pages, which know no user", async ({ page, context, server }) => {
    await signIn(context, server, await createPerson(server.pool));
    for (const path of ["/", "/contact", "/waitlist", "/pricing"]) {
      for (const { fields } of (await fetchForms(page, path)).forms)
        expect(fields).not.toHaveProperty(ACCOUNT_FIELD);
    }
  });
});
