import { drizzle } from "drizzle-orm/node-postgres";
import { COMMAND_LINE } from "../../app/audit/record-change.server.ts";
import { SIGN_IN_ERRORS } from "../../app/auth/providers/sign-in-errors.ts";
import { PUBLIC_PAGES } from "../../app/marketing/pages.ts";
import { inviteNext } from "../../app/waitlist/invite.server.ts";
import { cutDatabase } from "../../test/away.ts";
import { type Browser, openBrowser, signInAt } from "../../test/browser.ts";
import { openHostedApp } from "../../test/hosted-app.ts";
import { call, checkoutOf, control, eventually, pay, postForm } from "../../test/http.ts";
import { openPayer, PLAN_STATES } from "../../test/plan-states.ts";
import { startServer, type TestServer } from "../../test/server.ts";
import { makeStale, PASSWORD } from "../../test/users.ts";
import { walkConsole } from "./console.ts";
import { linkTo } from "./mailbox.ts";
import { causeEndingMail, causePlanMails } from "./plan-mails.ts";
import { takeTwoSteps } from "./two-steps.ts";

/** Called with each page in each of its states. */
export type Visit = (state: string, path: string, answer: Response) => Promise<void>;

type Fields = Record<string, string>;

/** A browser that shows whatever it is led to. */
export interface Visitor {
  browser: Browser;
  get(state: string, path: string): Promise<void>;
  post(state: string, path: string, fields?: Fields): Promise<void>;
}

/** Visits every page in every state that can be brought about without knowing its words. */
export async function walk(server: TestServer, visit: Visit): Promise<void> {
  const open = () => openVisitor(server, visit);
  await readPublicPages(open());
  await joinWaitlist(server, open());
  await signInInEveryWay(open);
  const ada = await signUp(open(), "ada@example.com");
  await havePlans(server, ada, open);
  await causePlanMails(server);
  await causeEndingMail(server);
  await changeAccount(server, ada, open);
  await walkConsole(server, visit);
  await failInEveryWay(server, open);
  await leadToHostedApp(visit);
}

function openVisitor(server: TestServer, visit: Visit): Visitor {
  const browser = openBrowser(server);
  async function show(state: string, path: string, answer: Response): Promise<void> {
    const location = answer.headers.get("location");
    const next = location === null ? null : URL.parse(location, server.origin + path);
    if (next?.origin !== server.origin) return visit(state, path.replace(/\?.*/, "").slice(0, 60), answer);
    const nextPath = next.pathname + next.search;
    await show(state, nextPath, await browser.get(nextPath));
  }
  return {
    browser,
    get: async (state, path) => show(state, path, await browser.get(path)),
    post: async (state, path, fields = {}) => show(state, path, await browser.post(path, fields)),
  };
}

async function readPublicPages({ get, post }: Visitor): Promise<void> {
  for (const { name, path } of PUBLIC_PAGES) await get(name, path);
  await get("Pricing, by the month", "/pricing?billing=monthly&promo=WELCOME");
  await get("Try it, filled in", "/why-different?category=Coffee&keywords=corner+coffee");
  await get("Try it, nothing found", "/why-different?category=Rent&keywords=zzz");
  await post("Contact, not filled in", "/contact");
  await post("Contact, filled in at once", "/contact", {
    email: "ada@example.com",
    name: "Ada",
    topic: "idea",
    message: "A word.",
    extra: "by a robot",
  });
  await get("Contact, sent", "/contact/sent");
}

async function joinWaitlist(server: TestServer, { get, post }: Visitor): Promise<void> {
  const email = "waiting@example.com";
  await get("Waitlist", "/waitlist");
  await get("Waitlist, by a friend's link", "/waitlist?ref=abcdefgh23");
  await post("Waitlist, wrong", "/waitlist", { email: "ada", name: "a".repeat(101) });
  await post("Waitlist, joined", "/waitlist", { email });
  const link = await linkTo(server, email, "/waitlist/confirm");
  await get("Waitlist, confirm", link);
  await post("Waitlist, a place", link);
  await post("Waitlist, joined again", "/waitlist", { email });
  await beInvited(server, link, get);
  const leave = link.replace("/confirm", "/leave");
  await get("Waitlist, leave", leave);
  await post("Waitlist, left", leave);
  for (const page of ["confirm", "place", "leave"]) await get("Waitlist, dead link", `/waitlist/${page}`);
}

/** Whoever waits is invited. */
async function beInvited(server: TestServer, link: string, get: Visitor["get"]): Promise<void> {
  const app = { db: drizzle(server.pool), config: { mail: { mode: "sandbox", from: "" } as const } };
  await inviteNext(app, COMMAND_LINE, "words", { count: 1, tier: "premium", months: 1 });
  const place = link.replace("/confirm", "/place");
  await eventually(
    async () =>
      (await server.pool.query("SELECT FROM mails WHERE subject LIKE '%your turn%' AND sent_at IS NOT NULL"))
        .rowCount,
    // Whoever leaves the list gets no more mail.
    "the invitation is sent",
  );
  await get("Waitlist, invited", place);
  await server.pool.query("UPDATE promo_codes SET active = false WHERE note = 'Waitlist invitation'");
  await get("Waitlist, a code that has ended", place);
}

async function signInInEveryWay(open: () => Visitor): Promise<void> {
  const stranger = open();
  for (const reason of ["", "promo", "subscribe", "cookies", "reset"])
    await stranger.get(`Login ${reason}`, `/login?reason=${reason}`);
  for (const error of SIGN_IN_ERRORS)
    await stranger.get(`Login, ${error}`, `/login?provider=google&error=${error}`);
  await stranger.post("Login, not filled in", "/login");
  await stranger.post("Login, wrong", "/login", { email: "nobody@example.com", password: "wrong" });
  await stranger.get("Sign Up", "/register");
  await stranger.get("Sign Up, with a plan", "/register?plan=prod_csv_banking&billing=annual&promo=WELCOME");
  await stranger.post("Sign Up, not filled in", "/register");
  for (const password of ["short", "passwordpassword"])
    await stranger.post("Sign Up, weak", "/register", { name: "Ada", email: "weak@example.com", password });
  await stranger.get("Sign-in window, done", "/auth/popup/done?provider=google");
  await stranger.get("Forgot password", "/forgot-password");
  await stranger.post("Forgot password, not filled in", "/forgot-password");
  await stranger.get("Reset password, dead link", "/reset-password?token=gone");
  await stranger.get("Confirm email, dead link", "/verify-email?token=gone");
  await stranger.get("New email, dead link", "/account/email/confirm?token=gone");
  await stranger.get("From the hosted app, dead link", "/auth/handoff");
  await stranger.get("Signed out", "/account/deleted?unsure=1");

  // Somebody with nothing but Google, who then chooses a password.
  const grace = open();
  const email = "grace@example.com";
  await signInAt(grace.browser, "google", { email });
  await grace.get("Dashboard, by Google", "/dashboard");
  await grace.get("Password, none yet", "/account/password");
  await grace.get("Connected accounts, the last one", "/account/connections");
  await grace.post("Password, set", "/account/password", { password: PASSWORD });
  const [, connection = ""] =
    /name="disconnect" value="([^"]+)"/.exec(
      await (await grace.browser.get("/account/connections")).text(),
    ) ?? [];
  await grace.post("Disconnected", "/account/connections", { disconnect: connection, provider: "google" });
}

async function signUp(visitor: Visitor, email: string): Promise<Visitor> {
  const person = { name: "Ada Lovelace", email, password: PASSWORD };
  await visitor.post("Dashboard, signed up", "/register", person);
  await visitor.get("Dashboard, no plan", "/dashboard");
  return visitor;
}

async function havePlans(server: TestServer, { browser, get, post }: Visitor, open: () => Visitor) {
  const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
  await get("Plans", "/subscription?promo=WELCOME&plan=prod_csv_banking&billing=annual");
  await get("Promo code", "/test-promo");
  for (const code of ["", "NOPE", "EXPIRED", "USEDUP"])
    await post("Promo code, refused", "/subscription", { form: "promo", code });
  await control(server, { api: "down" });
  await post("Plans, payments away", "/subscription", { price: "price_csv_only_yearly" });
  await control(server, { api: "up" });
  await post("Promo code, redeemed", "/test-promo", { form: "promo", code: "PREMIUM3" });
  await post("Promo code, again", "/test-promo", { form: "promo", code: "PREMIUM3" });
  await post("Promo code, another", "/test-promo", { form: "promo", code: "WELCOME" });
  await get("Dashboard, promo", "/dashboard");
  await get("Plans, promo", "/subscription");
  const { result } = await (await call(server, checkoutOf(server), cookie)).json();
  await control(server, { webhooks: "hold" });
  await visitElsewhere(open(), "Payment page (sandbox)", result.url);
  await pay(result.url);
  await control(server, { api: "down" });
  await get("Dashboard, payment being confirmed", `/dashboard?session_id=${result.url.split("/").at(-1)}`);
  await control(server, { api: "up", webhooks: "deliver" });
  await eventually(
    async () => (await (await browser.get("/subscription")).text()).includes("You’re on"),
    "paid",
  );
  await get("Dashboard, paid", `/dashboard?session_id=${result.url.split("/").at(-1)}`);
  await get("Plans, paid", "/subscription");
  await haveAPaidPlan(server, { browser, get, post });
}

/** The pages of a plan that is paid for, and the dashboard in each of its states. */
async function haveAPaidPlan(server: TestServer, { get, post }: Visitor): Promise<void> {
  await get("Cancel", "/subscription/cancel");
  await post("Cancel, too long", "/subscription/cancel", { reason: "", comment: "a".repeat(501) });
  await get("Change", "/subscription/change");
  for (const price of ["price_csv_only_yearly", "price_csv_banking_monthly", "price_nobody_has"])
    await get("Change, reviewed", `/subscription/change?price=${price}&again=1`);
  await post("Change, not on sale", "/subscription/change", { price: "price_nobody_has", at: "1", due: "0" });
  await get("Refund", "/subscription/refund");
  await post("Refund, another amount", "/subscription/refund", { total: "1" });
  await get("Withdraw", "/subscription/withdraw");
  await post("Withdraw, not filled in", "/subscription/withdraw", { name: "", email: "ada" });
  await post("Withdraw, to confirm", "/subscription/withdraw", { name: "Ada", email: "ada@example.com" });
  await get("Invoices", "/subscription/invoices");
  await control(server, { api: "down" });
  await post("Update card, payments away", "/dashboard", { do: "card" });
  await control(server, { api: "up" });
  const { rows } = await server.pool.query(
    "SELECT user_id AS id, id AS subscription FROM stripe_subscriptions LIMIT 1",
  );
  for (const [state, set] of Object.entries(PLAN_STATES)) {
    await set(server.pool, rows[0]);
    await get(`Dashboard, plan ${state}`, "/dashboard");
    if (state === "past_due") await get("Change, unpaid", "/subscription/change");
  }
  await get("Refund, none left", "/subscription/refund");
  await PLAN_STATES.card_expires(server.pool, rows[0]);
  const leaver = await openPayer(server);
  const statement = { name: "Ada", email: leaver.email, confirm: "1" };
  await postForm(server, "/subscription/withdraw", statement, leaver.cookie);
}

async function visitElsewhere(visitor: Visitor, state: string, url: string): Promise<void> {
  const { pathname, search } = new URL(url);
  await visitor.get(state, pathname + search);
}

async function changeAccount(server: TestServer, ada: Visitor, open: () => Visitor): Promise<void> {
  const email = "ada@example.com";
  const stranger = open();
  const { rows } = await server.pool.query(`SELECT id FROM "user" WHERE email = $1`, [email]);
  const pages = ["", "/email", "/password", "/connections", "/sessions", "/delete", "/confirm"];
  for (const page of pages) await ada.get(`Account ${page}`, `/account${page}`);
  await ada.post("Profile, saved", "/account", { name: "Ada King", photo: "" });
  await ada.post("Profile, wrong", "/account", { name: "", photo: "x" });
  await ada.post("Profile, of another account", "/account", { name: "Bob", account: "another" });
  for (const password of ["short", "correct horse batterz"])
    await ada.post("Password", "/account/password", { current_password: "wrong", password });
  await ada.post("Password, changed", "/account/password", {
    current_password: PASSWORD,
    password: `${PASSWORD}!`,
  });

  await ada.get("Confirm email, sent", "/verify-email/sent");
  const verify = await linkTo(server, email, "/verify-email");
  await stranger.get("Confirm email, signed out", verify);
  await stranger.post("Confirm email, wrong password", verify, { password: "wrong" });
  await ada.get("Confirm email", verify);
  await ada.post("Confirm email, done", verify);
  await stranger.get("Confirm email, done, signed out", "/verify-email/done");

  await ada.post("New email, wrong", "/account/email", { email: "ada" });
  await ada.post("New email, taken", "/account/email", { email: "grace@example.com" });
  await ada.post("New email, sent", "/account/email", { email: "new@example.com" });
  const change = await linkTo(server, "new@example.com", "/account/email/confirm");
  await stranger.get("New email, signed out", change);
  await ada.get("New email", change);
  await ada.post("New email, done", change);
  const person = { id: rows[0].id, email: "new@example.com", password: `${PASSWORD}!` };
  await takeTwoSteps(server, ada, open, person);

  await stranger.post("Reset, asked for", "/forgot-password", { email: "new@example.com" });
  const reset = await linkTo(server, "new@example.com", "/reset-password");
  await stranger.get("Reset", reset);
  await stranger.post("Reset, weak", reset, { password: "short" });
  const wrong = { email: "new@example.com", password: "wrong" };
  // Each from somewhere else: this is about the account.
  for (let tries = 0; tries < 10; tries++) await open().browser.post("/login", wrong);
  await open().post("Login, too often", "/login", wrong);

  const connect = { intent: "connect", return_to: "/account/connections" };
  await signInAt(ada.browser, "facebook", { email: "new@example.com" }, connect);
  await ada.get("Connected accounts, one connected", "/account/connections");
  await ada.post("Sessions, others ended", "/account/sessions", { end: "others" });
  await makeStale(server, rows[0]);
  await ada.get("Confirm that it is you", "/account/delete");
  await ada.post("Confirm that it is you, wrong", "/account/confirm", { password: "wrong" });
  await ada.browser.post("/account/confirm", { password: `${PASSWORD}!` });
  const [, plan = ""] =
    /name="subscription" value="([^"]*)"/.exec(await (await ada.browser.get("/account/delete")).text()) ?? [];
  await ada.post("Delete, wrong", "/account/delete", { email: "not me", subscription: plan });
  await ada.post("Deleted", "/account/delete", { email: "new@example.com", subscription: plan });
}

async function failInEveryWay(server: TestServer, open: () => Visitor): Promise<void> {
  const { get, post } = open();
  await get("Not found", "/nowhere");
  await get("Not understood", "/%");
  await get("Too long", `/${"a".repeat(9_000)}`);
  // Little enough to have been read whole: while more is still on its way, the answer can get lost with the connection.
  await post("Too big", "/contact", { message: "a".repeat(70_000) });
  await server.pool.query("ALTER TABLE waitlist RENAME TO waitlist_away");
  await get("Our mistake", `/waitlist/place?token=${"a".repeat(43)}`);
  await server.pool.query("ALTER TABLE waitlist_away RENAME TO waitlist");
  const bob = await signUp(open(), "bob@example.com");
  const restore = await cutDatabase(server);
  await get("Database away", `/waitlist/confirm?token=${"a".repeat(43)}`);
  await post("Database away, a form", "/login", { email: "bob@example.com", password: PASSWORD });
  await bob.post("Database away, Sign Out", "/logout");
  await restore();
}

/** The screens that lead on where people sign in at a hosted app. */
async function leadToHostedApp(visit: Visit): Promise<void> {
  const app = await openHostedApp((_, response) => response.writeHead(204).end());
  const server = await startServer({ SIGN_IN: "redirect", ...app.env });
  const { get } = openVisitor(server, visit);
  await get("Login, at the hosted app", "/login");
  await get("Sign Up, at the hosted app", "/register");
  await server.stop();
  app.close();
}
