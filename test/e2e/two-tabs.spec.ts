import type { Page } from "@playwright/test";
import { otherAccountSentence } from "../../app/ui/account-mark.ts";
import { everyRow } from "../every-row.ts";
import { allJobsDone } from "../http.ts";
import { createOperator } from "../operator.ts";
import { openPayer } from "../plan-states.ts";
import type { TestServer } from "../server.ts";
import { connectProvider, createPerson, type Person, signInAgain, verify } from "../users.ts";
import { expect, PASSWORD, signIn, test } from "./fixtures.ts";

const button = (page: Page, name: string | RegExp) =>
  page.getByRole("main").getByRole("button", { name }).first();

/** What the user does in the tab that was A's: the page, and what is typed and pressed there. */
interface Deed {
  path: string;
  /** A new account with a password, if it says nothing else. */
  who?: (server: TestServer) => Promise<Person>;
  act(page: Page): Promise<void>;
}

const payer = (server: TestServer) => openPayer(server);
const createAny = (server: TestServer) => createPerson(server.pool);

async function connected(server: TestServer): Promise<Person> {
  const person = await createPerson(server.pool);
  await verify(server, person);
  await connectProvider(server, person, "google");
  return person;
}

async function onTwoDevices(server: TestServer): Promise<Person> {
  const person = await createPerson(server.pool);
  await signInAgain(server, person.email);
  return person;
}

const DEEDS: Record<string, Deed> = {
  "another address": {
    path: "/account/email",
    async act(page) {
      await page.getByLabel("New email address").fill("new@example.com");
      await button(page, /link|email/i).click();
    },
  },
  "a new password": {
    path: "/account/password",
    async act(page) {
      await page.getByLabel("Current password").fill(PASSWORD);
      await page.getByLabel("New password").fill("another horse battery");
      await button(page, "Change your password").click();
    },
  },
  deletion: {
    path: "/account/delete",
    async act(page) {
      await page.getByLabel("Your email address").fill("c@example.com");
      await button(page, "Delete my account").click();
    },
  },
  "the end of other sessions": {
    path: "/account/sessions",
    who: onTwoDevices,
    async act(page) {
      await button(page, "Sign out all other devices").click();
      // Where React runs it asks first.
      if (await page.locator("[data-hydrated]").count()) await button(page, "Sign them out").click();
    },
  },
  disconnecting: {
    path: "/account/connections",
    who: connected,
    act: (page) => button(page, "Disconnect Google").click(),
  },
  connecting: {
    path: "/account/connections",
    who: connected,
    act: (page) => button(page, "Connect Facebook").click(),
  },
  "a promo code": {
    path: "/subscription",
    async act(page) {
      await page.getByRole("textbox", { name: "Promo code" }).fill("PREMIUM3");
      await button(page, "Apply code").click();
    },
  },
  "a promo code to test": {
    path: "/test-promo",
    async act(page) {
      await page.getByRole("textbox", { name: "Promo code" }).fill("PREMIUM3");
      await button(page, "Apply code").click();
    },
  },
  "a payment page": {
    path: "/subscription",
    act: (page) => button(page, /^Choose CSV Only, yearly/).click(),
  },
  "a plan's end": {
    path: "/subscription/cancel",
    who: payer,
    async act(page) {
      await page.getByLabel("Anything else?").fill("Too dear");
      await button(page, "Cancel plan").click();
    },
  },
  "a refund": { path: "/subscription/refund", who: payer, act: (page) => button(page, /^Refund/).click() },
  "another plan": {
    path: "/subscription/change?price=price_csv_only_monthly",
    who: payer,
    act: (page) => button(page, "Change to CSV Only").click(),
  },
  withdrawal: {
    path: "/subscription/withdraw",
    who: payer,
    act: (page) => button(page, "Withdraw from contract here").click(),
  },
  "the page for cards": {
    path: "/dashboard",
    who: payer,
    act: (page) => button(page, "Update card").click(),
  },
  "the header's button": {
    path: "/account",
    act: (page) => page.getByRole("navigation").getByRole("button", { name: "Sign Out" }).click(),
  },
  "a second factor": {
    path: "/account/second-factor",
    who: connected,
    act: (page) => button(page, "Set up an authenticator app").click(),
  },
};

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled });

    // Without it, other-account.spec.ts sends every form of every page.
    for (const [name, { path, who, act }] of javaScriptEnabled ? Object.entries(DEEDS) : [])
      test(`${name}: asked for on A's page while C is signed in, does nothing`, async ({
        page,
        context,
        server,
        open,
      }) => {
        const a = await (who ?? createAny)(server);
        const c = await (who === payer ? payer : createAny)(server);
        await verify(server, c);
        await signIn(context, server, a);
        await open(path);
        // As signing out does.
        await server.pool.query("DELETE FROM session WHERE user_id = $1", [a.id]);
        await signIn(context, server, c);
        await allJobsDone(server);
        const before = await everyRow(server);
        await act(page);
        await expect(page.getByRole("alert")).toContainText(otherAccountSentence(c.email, a.email));
        await expect(button(page, `Continue as ${c.email}`)).toBeVisible();
        await expect(button(page, `Sign out and log in as ${a.email}`)).toBeVisible();
        expect(await everyRow(server)).toEqual(before);
      });

    test("a name typed on A's page is kept, and either of them can go on", async ({
      page,
      context,
      server,
      open,
    }) => {
      const [a, c] = [await createPerson(server.pool), await createPerson(server.pool)];
      const names = async () =>
        (
          await server.pool.query(`SELECT name FROM "user" WHERE id = ANY($1) ORDER BY id = $2`, [
            [a.id, c.id],
            c.id,
          ])
        ).rows.map((row) => row.name);
      await signIn(context, server, a);
      await open("/account");
      await page.getByLabel("Name").fill("Zed");
      // In another tab, as people do it.
      const other = await context.newPage();
      await other.goto("/account");
      await other.getByRole("navigation").getByRole("button", { name: "Sign Out" }).click();
      await expect(other).toHaveURL("/");
      await logIn(other, c);
      await expect(other).toHaveURL("/dashboard");

      await button(page, "Save").click();
      await expect(page.getByRole("alert")).toContainText(otherAccountSentence(c.email, a.email));
      await expect(page.getByRole("main")).toContainText("Zed");
      await button(page, `Continue as ${c.email}`).click();
      await expect(page.getByLabel("Name")).toHaveValue("Zed");
      await expect(page.getByRole("banner")).toContainText("Ada Lovelace");
      expect(await names()).toEqual(["Ada Lovelace", "Ada Lovelace"]);
      await button(page, "Save").click();
      await expect(page).toHaveURL("/account?changed=profile");
      expect(await names()).toEqual(["Ada Lovelace", "Zed"]);

      // And back to A.
      const cookies = await context.cookies();
      await signIn(context, server, { ...a, cookie: await signInAgain(server, a.email) });
      await open("/account/email");
      await context.addCookies(cookies);
      await page.getByLabel("New email address").fill("new@example.com");
      await button(page, /link|email/i).click();
      await button(page, `Sign out and log in as ${a.email}`).click();
      await expect(page).toHaveURL("/login?return_to=%2Faccount%2Femail");
      await logIn(page, a);
      await expect(page).toHaveURL(/\/account\/email$/);
      await expect(page.getByRole("alert")).toHaveCount(0);
    });

    test("an operator's page gives nothing in the name of another", async ({ page, context, server }) => {
      const operator = await createOperator(server.pool);
      const c = await createPerson(server.pool);
      await signIn(context, server, operator);
      await page.goto(`/admin/people/${c.id}/give`);
      await page.getByLabel("Reason").fill("By mistake");
      await signIn(context, server, c);
      await button(page, "Give access").click();
      await expect(page.getByRole("alert")).toContainText(otherAccountSentence(c.email, operator.email));
      await button(page, `Continue as ${c.email}`).click();
      await expect(page).toHaveURL("/dashboard");
      const { rowCount } = await server.pool.query("SELECT FROM grants WHERE user_id = $1", [c.id]);
      expect(rowCount).toBe(0);
    });

    test("rows selected on an operator's page are left alone in the name of another", async ({
      page,
      context,
      server,
      open,
    }) => {
      const operator = await createOperator(server.pool);
      const c = await createPerson(server.pool);
      await signIn(context, server, operator);
      const codes = ["ONE", "TWO"].map((name) => `${name}-${c.id.slice(0, 8).toUpperCase()}`);
      await server.pool.query(
        "INSERT INTO promo_codes (code, tier, duration_type) SELECT code, 'basic', 'forever' FROM unnest($1::text[]) AS code",
        [codes],
      );
      await open("/admin/codes");
      for (const code of codes) await page.getByRole("checkbox", { name: `Select ${code}` }).check();
      await signIn(context, server, c);
      await button(page, "Pause").click();
      await expect(page.getByRole("alert")).toContainText(otherAccountSentence(c.email, operator.email));
      const { rowCount } = await server.pool.query(
        "SELECT FROM promo_codes WHERE code = ANY($1) AND NOT active",
        [codes],
      );
      expect(rowCount).toBe(0);
    });
  });
}

async function logIn(page: Page, { email }: Person): Promise<void> {
  if (!page.url().includes("/login")) await page.goto("/login");
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("main").getByRole("button", { name: "Login" }).click();
}

test("a code checked on A's page is checked for no other account", async ({
  page,
  context,
  server,
  open,
}) => {
  const [a, c] = [await createPerson(server.pool), await createPerson(server.pool)];
  await signIn(context, server, a);
  await open("/subscription");
  await signIn(context, server, c);
  const box = page.getByRole("textbox", { name: "Promo code" });
  await box.fill("PREMIUM3");
  await box.press("Tab");
  await page.getByLabel("CSV + Banking").first().focus();
  await expect(page.getByText(otherAccountSentence(c.email, a.email))).toBeVisible();
});
