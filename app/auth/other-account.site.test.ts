import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { openBrowser } from "../../test/browser.ts";
import { call, checkoutOf, mainOf, postForm } from "../../test/http.ts";
import { createOperator } from "../../test/operator.ts";
import { getByRouter, postByRouter, readRouterAnswer } from "../../test/router.ts";
import { questionFor, SoftwareKey } from "../../test/second-factor.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import { callAs, fetchToken } from "../../test/tokens.ts";
import { connectProvider, createPerson, get, type Person, signInAgain, verify } from "../../test/users.ts";
import { ACCOUNT_FIELD, ACCOUNT_HEADER, otherAccountSentence } from "../ui/account-mark.ts";
import { markAccount, readMark } from "./account-mark.server.ts";

const server = sharedServer();

/** The mark on a page of theirs. */
async function markOn(path: string, { cookie }: Pick<Person, "cookie">): Promise<string> {
  const page = await (await get(server, path, cookie)).text();
  const marks = new Set([...page.matchAll(/name="account" value="([^"]+)"/g)].map(([, mark]) => mark));
  expect(marks.size).toBe(1);
  return [...marks].join();
}

/** Two people: the page is A's, and C is signed in by now. */
async function twoPeople() {
  const [a, c] = await Promise.all([createPerson(server.pool), createPerson(server.pool)]);
  return { a, c, mark: await markOn("/account", a), sentence: otherAccountSentence(c.email, a.email) };
}

const nameOf = async ({ id }: Person) =>
  (await server.pool.query(`SELECT name FROM "user" WHERE id = $1`, [id])).rows[0].name;

const grantsOf = async ({ id }: Person) =>
  (await server.pool.query("SELECT FROM grants WHERE user_id = $1", [id])).rowCount;

const flowsOf = async ({ id }: Person) =>
  (await server.pool.query("SELECT FROM provider_flows WHERE user_id = $1", [id])).rowCount;

describe("the mark of an account", () => {
  const ADA = { id: "ada", email: "ada@example.com" };

  test("says nothing to who has not made it, and is the same every time", () => {
    const mark = markAccount(AUTH_SECRET, ADA);
    expect(mark).toBe(markAccount(AUTH_SECRET, ADA));
    expect(mark).toMatch(/^[\w-]{50,200}$/);
    expect(Buffer.from(mark, "base64url").toString("latin1")).not.toMatch(/ada|example/);
    expect(readMark([AUTH_SECRET], mark)).toEqual(ADA);
    expect(mark.slice(0, 16)).not.toBe(markAccount(AUTH_SECRET, { ...ADA, id: "bob" }).slice(0, 16));
  });

  test.each(["", "x", "A".repeat(80), "A".repeat(5000), "🙂"])("none is %#", (mark) => {
    expect(readMark([AUTH_SECRET], mark)).toBeNull();
  });

  test("a mark that was changed, or made with another secret, names no account", () => {
    const mark = markAccount(AUTH_SECRET, ADA);
    expect(readMark([AUTH_SECRET], `${mark.slice(1)}${mark.slice(0, 1)}`)).toBeNull();
    expect(readMark([`${AUTH_SECRET}!`], mark)).toBeNull();
  });
});

test("a page's form acts in any session of its account, and in none of another", async () => {
  const { a, c, mark, sentence } = await twoPeople();
  const onSecondDevice = await signInAgain(server, a.email);
  const saved = await postForm(server, "/account", { [ACCOUNT_FIELD]: mark, name: "Ada" }, onSecondDevice);
  expect([saved.status, await nameOf(a)]).toEqual([303, "Ada"]);

  const typed = { name: "Zed <b>", photo: "https://photos.example/z.png" };
  const refused = await postForm(server, "/account", { [ACCOUNT_FIELD]: mark, ...typed }, c.cookie);
  expect([refused.status, refused.headers.get("cache-control")]).toEqual([409, "no-store"]);
  const page = await mainOf(refused);
  expect(page).toContain(sentence);
  expect(page).toContain("Zed &lt;b&gt;");
  expect(page).toContain('<input type="hidden" name="name" value="Zed &lt;b&gt;"/>');
  expect(page).toContain(`Continue as ${c.email}`);
  expect(page).toContain(`Sign out and log in as ${a.email}`);
  expect([await nameOf(a), await nameOf(c)]).toEqual(["Ada", "Ada Lovelace"]);
});

test("going on opens the page as it is now, with what was typed, and does nothing", async () => {
  const { c } = await twoPeople();
  const fields = { [ACCOUNT_FIELD]: await markOn("/account", c), open_again: "1", name: "Zed" };
  const opened = await postForm(server, "/account", fields, c.cookie);
  expect(opened.status).toBe(200);
  expect(await mainOf(opened)).toMatch(/name="name"[^>]* value="Zed"/);
  expect(await nameOf(c)).toBe("Ada Lovelace");
});

test("going on does nothing either once signed out", async () => {
  const { a, mark } = await twoPeople();
  const wanted = { [ACCOUNT_FIELD]: mark, open_again: "1", email: a.email };
  const mails = async () =>
    (await server.pool.query("SELECT FROM mail_links WHERE user_id = $1", [a.id])).rowCount;
  expect((await postForm(server, "/forgot-password", wanted)).status).toBe(200);
  expect(await mails()).toBe(0);
});

test("the other way signs out, and leads to the page after logging in", async () => {
  const { c } = await twoPeople();
  const fields = { [ACCOUNT_FIELD]: await markOn("/account", c), return_to: "/account/email" };
  const left = await postForm(server, "/logout", fields, c.cookie);
  expect([left.status, left.headers.get("location")]).toEqual([303, "/login?return_to=%2Faccount%2Femail"]);
  expect((await get(server, "/account", c.cookie)).status).toBe(302);
});

test.each(["//evil.example", "/auth/popup/google", "https://evil.example/account", "/logout"])(
  "signing out never leads to %s",
  async (return_to) => {
    const { cookie } = await createPerson(server.pool);
    const left = await postForm(server, "/logout", { return_to }, cookie);
    expect(left.headers.get("location")).toBe("/");
  },
);

test("where the form was is told by its page alone, and never leads off the site", async () => {
  const { c, mark } = await twoPeople();
  const waysFrom = async (referer: string) => {
    const sent = await openBrowser(server, c.cookie).post("/logout", { [ACCOUNT_FIELD]: mark }, { referer });
    const page = await mainOf(sent);
    const [, now] = /<form [^>]*action="([^"]+)"/.exec(page) ?? [];
    const [, named] = /name="return_to" value="([^"]+)"/.exec(page) ?? [];
    return [now, named];
  };
  expect(await waysFrom(`${server.origin}/account/email?x=1`)).toEqual([
    "/account/email?x=1",
    "/account/email?x=1",
  ]);
  expect(await waysFrom("https://evil.example/account")).toEqual(["/dashboard", "/dashboard"]);
  expect(await waysFrom("nonsense")).toEqual(["/dashboard", "/dashboard"]);
  // Of the console C is no operator of, only the page's own operator is led back to it.
  expect(await waysFrom(`${server.origin}/admin/people`)).toEqual(["/dashboard", "/admin/people"]);
});

test("passwords and codes are not sent back", async () => {
  const { c, mark } = await twoPeople();
  const secrets = { password: "hunter2 hunter2", current_password: "hunter1 hunter1", otp: "123456" };
  for (const path of ["/account/password", "/account/confirm", "/account/second-factor/app"]) {
    const answer = await postForm(server, path, { [ACCOUNT_FIELD]: mark, ...secrets }, c.cookie);
    const page = await answer.text();
    const byRouter = await postByRouter(server, path, { [ACCOUNT_FIELD]: mark, ...secrets }, c.cookie);
    const said = await byRouter.text();
    expect([answer.status, byRouter.status]).toEqual([409, 409]);
    for (const secret of Object.values(secrets)) expect(page + said).not.toContain(secret);
  }
});

test("A's new address is not told: the page says what it was made for", async () => {
  const { a, c, mark, sentence } = await twoPeople();
  await server.pool.query(`UPDATE "user" SET email = 'new-' || email WHERE id = $1`, [a.id]);
  const page = await (await postForm(server, "/account", { [ACCOUNT_FIELD]: mark }, c.cookie)).text();
  expect(page).toContain(sentence);
  expect(page).not.toContain("new-");
});

test.each(["", "x", "AAAA".repeat(30), "A".repeat(5000)])(
  "a mark that is none is refused: %#",
  async (mark) => {
    const { c } = await twoPeople();
    const refused = await postForm(server, "/account", { [ACCOUNT_FIELD]: mark, name: "Zed" }, c.cookie);
    expect(refused.status).toBe(409);
    expect(await mainOf(refused)).toContain(otherAccountSentence(c.email, undefined));
    expect(await nameOf(c)).toBe("Ada Lovelace");
  },
);

test("one wrong mark among several is refused", async () => {
  const { c, mark } = await twoPeople();
  const own = await markOn("/account", c);
  for (const marks of [
    [own, mark],
    [mark, own],
  ]) {
    const body = new URLSearchParams([["name", "Zed"], ...marks.map((each) => [ACCOUNT_FIELD, each])]);
    const answer = await fetch(`${server.origin}/logout`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: server.origin, cookie: c.cookie },
      body,
    });
    expect(answer.status).toBe(409);
  }
});

test("a signed-out visitor is redirected to log in, as ever", async () => {
  const { mark } = await twoPeople();
  const answer = await postForm(server, "/account", { [ACCOUNT_FIELD]: mark, name: "Zed" });
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/login?return_to=%2Faccount"]);
  const fields = { [ACCOUNT_FIELD]: mark, form: "promo", code: "PREMIUM3" };
  const promo = await postForm(server, "/subscription", fields);
  expect(promo.headers.get("location")).toMatch(/^\/login\?return_to=%2Fsubscription%3Fpromo%3DPREMIUM3/);
});

describe("a promo code", () => {
  const sendCode = (path: string, mark: string, cookie: string) =>
    postByRouter(server, path, { form: "promo", code: "PREMIUM3", [ACCOUNT_FIELD]: mark }, cookie);

  test.each(["/subscription", "/test-promo"])(
    "sent to %s by a page's router goes to nobody, and the page is told why and how to go on",
    async (path) => {
      const { a, c, mark, sentence } = await twoPeople();
      const answer = await sendCode(path, mark, c.cookie);
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([409, "no-store"]);
      expect(await readRouterAnswer(answer)).toEqual({
        error: {
          status: 409,
          data: {
            sentence,
            now: c.email,
            named: a.email,
            typed: [
              ["form", "promo"],
              ["code", "PREMIUM3"],
            ],
            pages: expect.anything(),
            reopen: "open_again",
            mark: await markOn("/account", c),
          },
        },
      });
      expect([await grantsOf(a), await grantsOf(c)]).toEqual([0, 0]);
    },
  );

  test("goes to the account of the page", async () => {
    const { a, mark } = await twoPeople();
    const done = await sendCode("/subscription", mark, a.cookie);
    expect([done.status, await readRouterAnswer(done)]).toMatchObject([
      200,
      { data: { redeemed: { code: "PREMIUM3" } } },
    ]);
    expect(await grantsOf(a)).toBe(1);
  });

  test("is looked at for nobody else", async () => {
    const { a, c, mark, sentence } = await twoPeople();
    const look = async ({ cookie }: Person) => {
      const query = new URLSearchParams({ code: "PREMIUM3", [ACCOUNT_FIELD]: mark });
      const answer = await getByRouter(server, `/promo/check?${query}`, "promo/check", cookie);
      return (await readRouterAnswer(answer, "promo/check")).data;
    };
    expect(await look(c)).toMatchObject({ message: sentence, checked: null });
    expect(await look(a)).toMatchObject({ message: null, checked: { code: "PREMIUM3", tier: "premium" } });
  });
});

describe("what scripts and programs ask for in a page's name", () => {
  const refusal = (sentence: string) => ({ error: { status: "UNAUTHENTICATED", message: sentence } });
  const CHECKOUT = "/functions/us-central1/createCheckoutSession";

  test("no payment page opens for another account, by cookie or by token", async () => {
    const { a, c, mark, sentence } = await twoPeople();
    const pay = (headers: Record<string, string>) =>
      callAs(server, CHECKOUT, { data: checkoutOf(server) }, { [ACCOUNT_HEADER]: mark, ...headers });
    const token = await fetchToken(server, c.cookie);
    for (const answer of [await pay({ cookie: c.cookie }), await pay({ authorization: `Bearer ${token}` })]) {
      expect([answer.status, await answer.json()]).toEqual([401, refusal(sentence)]);
    }
    const attempts = await server.pool.query("SELECT FROM checkout_attempts WHERE user_id = $1", [c.id]);
    expect(attempts.rowCount).toBe(0);
    expect((await pay({ cookie: a.cookie })).status).toBe(200);
    expect((await call(server, checkoutOf(server), c.cookie)).status).toBe(200);
  });

  test("no name is changed by /v1 for another page, or another localId, than the caller's", async () => {
    const { a, c, mark, sentence } = await twoPeople();
    const update = (headers: Record<string, string>, body = {}) =>
      callAs(
        server,
        "/v1/accounts:update",
        { displayName: "Zed", ...body },
        { cookie: c.cookie, ...headers },
      );
    const refused = await update({ [ACCOUNT_HEADER]: mark });
    expect([refused.status, await refused.json()]).toEqual([401, refusal(sentence)]);
    expect((await update({}, { localId: a.id })).status).toBe(401);
    expect(await nameOf(c)).toBe("Ada Lovelace");
    expect((await update({ [ACCOUNT_HEADER]: await markOn("/account", c) }, { localId: c.id })).status).toBe(
      200,
    );
    expect(await nameOf(c)).toBe("Zed");
  });

  test("no token", async () => {
    const { a, c, mark, sentence } = await twoPeople();
    const ask = ({ cookie }: Person) =>
      fetch(`${server.origin}/api/token`, { headers: { cookie, [ACCOUNT_HEADER]: mark } });
    const refused = await ask(c);
    expect([refused.status, await refused.json()]).toEqual([401, refusal(sentence)]);
    expect((await ask(a)).status).toBe(200);
  });

  test("no passkey is made, or asked for", async () => {
    const { a, c, mark, sentence } = await twoPeople();
    await Promise.all([verify(server, a), verify(server, c)]);
    const browser = openBrowser(server, c.cookie);
    for (const purpose of ["add", "confirm"]) {
      const refused = await browser.post(
        "/auth/passkey-options",
        { for: purpose },
        { [ACCOUNT_HEADER]: mark },
      );
      expect([refused.status, await refused.json()]).toEqual([401, refusal(sentence)]);
    }
    // Nor is one added that was made before the other account signed in.
    const key = new SoftwareKey(server.origin);
    const passkey = key.create(await questionFor(browser, "add"));
    const fields = { [ACCOUNT_FIELD]: mark, name: "My key", passkey };
    const added = await browser.post("/account/second-factor/passkey", fields);
    expect([added.status, (await mainOf(added)).includes(sentence)]).toEqual([409, true]);
    const keys = await server.pool.query("SELECT FROM passkeys WHERE user_id = ANY($1)", [[a.id, c.id]]);
    expect(keys.rowCount).toBe(0);
  });
});

describe("a provider", () => {
  const newNonce = () => crypto.randomUUID();
  const popup = (fields: Record<string, string>) => `/auth/popup/google?${new URLSearchParams(fields)}`;

  test.each(["connect", "confirm"])(
    "no window to %s it begins for another account than its page's",
    async (intent) => {
      const { a, c, mark } = await twoPeople();
      await Promise.all([verify(server, a), verify(server, c)]);
      const asked = { intent, nonce: newNonce(), return_to: "/account/connections", [ACCOUNT_FIELD]: mark };
      const headers = { "sec-fetch-site": "same-origin" };
      const refused = await openBrowser(server, c.cookie).get(popup(asked), headers);
      expect(refused.headers.get("location")).toMatch(/^\/auth\/popup\/done\?.*&error=other-account$/);
      const begun = await openBrowser(server, a.cookie).get(popup({ ...asked, nonce: newNonce() }), headers);
      expect(begun.headers.get("location")).toMatch("/sandbox/identity/");
      expect([await flowsOf(c), await flowsOf(a)]).toEqual([0, 1]);
    },
  );

  test("as a form it says so, and begins nothing", async () => {
    const { c, mark, sentence } = await twoPeople();
    await verify(server, c);
    const fields = { [ACCOUNT_FIELD]: mark, intent: "connect", return_to: "/account/connections" };
    const answer = await postForm(server, "/auth/start/google", fields, c.cookie);
    expect([answer.status, (await mainOf(answer)).includes(sentence)]).toEqual([409, true]);
    expect(await flowsOf(c)).toBe(0);
  });

  test("a window that was open when the account changed connects nothing, and says why", async () => {
    const { a, c } = await twoPeople();
    await verify(server, a);
    const browser = openBrowser(server, a.cookie);
    const asked = popup({ intent: "connect", nonce: newNonce(), return_to: "/account/connections" });
    const begun = await browser.get(asked, { "sec-fetch-site": "same-origin" });
    const state = new URL(begun.headers.get("location") ?? "").searchParams.get("state") ?? "";
    const [name = "", value = ""] = c.cookie.split("=", 2);
    browser.cookies.set(name, value);
    const back = await browser.get(`/auth/callback/google?${new URLSearchParams({ state, code: "x" })}`);
    expect(back.headers.get("location")).toMatch(/&error=other-account$/);
  });

  test("none is disconnected", async () => {
    const { c, mark, sentence } = await twoPeople();
    const disconnect = await connectProvider(server, c, "google");
    const fields = { [ACCOUNT_FIELD]: mark, disconnect, provider: "google" };
    const answer = await postForm(server, "/account/connections", fields, c.cookie);
    expect([answer.status, (await mainOf(answer)).includes(sentence)]).toEqual([409, true]);
    const { rowCount } = await server.pool.query("SELECT FROM account WHERE id = $1", [disconnect]);
    expect(rowCount).toBe(1);
  });
});

test("an operator's page does nothing in the name of another", async () => {
  const { a: person, mark } = await twoPeople();
  const operator = await createOperator(server.pool);
  const sentence = otherAccountSentence(operator.email, person.email);
  const give = { tier: "premium", months: "3", reason: "By mistake", grant: crypto.randomUUID() };
  const written = async () => {
    const { rows } = await server.pool.query(
      `SELECT (SELECT count(*) FROM grants WHERE user_id = $1)::int AS grants,
         (SELECT count(*) FROM session WHERE user_id = $1)::int AS sessions,
         (SELECT count(*) FROM promo_codes WHERE code = 'BYMISTAKE')::int AS codes,
         (SELECT count(*) FROM audit_log WHERE actor = $2)::int AS entries`,
      [person.id, operator.email],
    );
    return rows[0];
  };
  const before = await written();
  for (const [path, fields] of [
    [`/admin/people/${person.id}/give`, give],
    [`/admin/people/${person.id}`, { do: "sign_out" }],
    [`/admin/people/${person.id}/export`, {}],
    [`/admin/people/${person.id}/delete`, { email: person.email }],
    ["/admin/new-code", { code: "BYMISTAKE", tier: "premium", months: "1", maxUses: "1" }],
    ["/admin/features", { feature: "csv_processing", do: "open", when: "now", seen: "", sure: "on" }],
  ] as const) {
    const answer = await postForm(server, path, { [ACCOUNT_FIELD]: mark, ...fields }, operator.cookie);
    expect([path, answer.status, (await mainOf(answer)).includes(sentence)]).toEqual([path, 409, true]);
  }
  expect(await written()).toEqual(before);
  const own = { [ACCOUNT_FIELD]: await markOn(`/admin/people/${person.id}/give`, operator), ...give };
  expect((await postForm(server, `/admin/people/${person.id}/give`, own, operator.cookie)).status).toBe(303);
});

test("asked for by itself, the page that says so leads to the account", async () => {
  const { c } = await twoPeople();
  const answer = await get(server, "/account/other", c.cookie);
  expect([answer.status, answer.headers.get("location")]).toEqual([302, "/account"]);
});

test("every form that posts is the shared one, but for those of pages that know nobody", () => {
  const ofPublicPages = [
    ...["confirm", "leave", "waitlist-form"].map((name) => `app/waitlist/${name}.tsx`),
    "app/contact/contact-form.tsx",
    "app/news/unsubscribe.tsx",
    "app/ui/post-form.tsx",
  ];
  const sources = globSync("app/**/*.{ts,tsx}", { exclude: ["app/**/*.test.ts"] });
  const others = sources.filter((file) => {
    const forms = readFileSync(file, "utf8").match(/<(?:form|Form|Sent|\w+\.Form)\b[^>]*>/g) ?? [];
    return forms.some((form) => /method="post"|formProps/.test(form) && !form.includes('method="get"'));
  });
  expect(others.toSorted()).toEqual(ofPublicPages.toSorted());
  // Nor does a page send anything by the router that is in no such form.
  const byHand = sources.filter((file) =>
    /\buseSubmit\b|\bsubmit\b[^;]*= useFetcher|fetcher\.submit\(/.test(readFileSync(file, "utf8")),
  );
  // The time zone of the browser, which a page tells with the mark of its account.
  expect(byHand.toSorted()).toEqual(["app/account/signed-in.tsx", "app/ui/post-form.tsx"]);
});
