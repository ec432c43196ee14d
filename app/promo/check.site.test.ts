import { randomUUID } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { asClient, mainOf, postForm } from "../../test/http.ts";
import { getByRouter, postByRouter, readRouterAnswer } from "../../test/router.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createSignedInUser, get, PASSWORD, verify } from "../../test/users.ts";

const server = sharedServer();

beforeAll(async () => {
  await server.pool.query(
    `INSERT INTO promo_codes (code, tier, duration_type, duration_months, expires_at, confirmed_only) VALUES
       ('CHECK_LOW6', 'basic', 'months', 6, '2999-02-01', false),
       ('CHECK_FOREVER', 'premium', 'forever', NULL, NULL, false),
       ('CHECK_MONTH', 'basic', 'months', 1, NULL, false),
       ('CHECK_CONFIRMED', 'basic', 'months', 1, NULL, true),
       ('CHECK_OVER', 'basic', 'months', 1, '2020-01-01', false)
     ON CONFLICT DO NOTHING`,
  );
});

/** The same text without the comments React puts between its parts. */
const textOf = async (response: Response) => (await mainOf(response)).replace(/<!-- -->|<\/?time[^>]*>/g, "");

const check = (code: string, cookie?: string, tier = "basic") =>
  postForm(server, "/test-promo", { form: "promo", intent: "check", code, tier }, cookie);

async function uses(code: string): Promise<number> {
  const { rows } = await server.pool.query("SELECT used_count FROM promo_codes WHERE code = $1", [code]);
  return rows[0].used_count;
}

describe("a code as it is pasted", () => {
  test.each([
    ["an en dash", "check–low6", "CHECK-LOW6"],
    ["a minus sign, and blanks", "\u3000CHECK−LOW6\u00a0\n", "CHECK-LOW6"],
    ["invisible characters", "\u202aCHECK\u00ad-\u200bLOW\u20606\u202c", "CHECK-LOW6"],
    ["a dotted capital I", "CHECK-Lİ", "CHECK-LI"],
    ["a dotless i", "check-lı", "CHECK-LI"],
    ["full width, and digits of another script", "ＣＨＥＣＫ－ＬＯＷ٦", "CHECK-LOW6"],
  ])("%s: it is found wherever it is typed", async (_what, typed, code) => {
    await server.pool.query(
      `INSERT INTO promo_codes (code, tier, duration_type, duration_months) VALUES ($1, 'basic', 'months', 6)
       ON CONFLICT DO NOTHING`,
      [code],
    );
    const { id, cookie } = await createSignedInUser(server.pool);
    const query = new URLSearchParams({ code: typed, promo: typed });
    expect(await textOf(await check(typed, cookie))).toContain(`${code} is good.`);
    expect(await (await get(server, `/promo/check?${query}`, cookie)).text()).toContain(`"code":"${code}"`);
    expect(await textOf(await get(server, `/subscription?${query}`, cookie))).toContain(`${code} is ready`);
    expect(await textOf(await get(server, `/pricing?${query}`))).toContain("is saved. It gives you CSV Only");
    await postForm(server, "/subscription", { form: "promo", code: typed }, cookie);
    const { rows } = await server.pool.query("SELECT promo_code FROM grants WHERE user_id = $1", [id]);
    expect(rows).toEqual([{ promo_code: code }]);
  });

  test("one of which nothing is to be seen is none", async () => {
    const { cookie } = await createSignedInUser(server.pool);
    expect(await textOf(await check("\u200b\u2060\u2800", cookie))).toContain("Please enter a promo code");
  });
});

describe("before a code is applied", () => {
  test("it says what it would give beside what the user has, and is not used", async () => {
    const { id, cookie } = await createSignedInUser(server.pool);
    const before = [await uses("PREMIUM3"), await uses("CHECK_LOW6")];
    const first = await textOf(await check("check_low6", cookie));
    expect(first).toContain("CHECK_LOW6 is good. You haven’t used it yet.");
    expect(first).toMatch(/It gives you CSV Only until .*\. It starts today\./);
    expect(first).toContain("Use it by January 31, 2999, 11:59 PM UTC.");

    await postForm(server, "/test-promo", { form: "promo", code: "CHECK_LOW6" }, cookie);
    const higher = await textOf(await check("PREMIUM3", cookie));
    expect(higher).toMatch(
      /You have CSV Only until .*\. This code gives you CSV \+ Banking until .*\. It starts today\. CSV Only waits meanwhile, and is yours again after that until/,
    );
    expect(await textOf(await check("CHECK_LOW6", cookie))).toContain("You’ve already applied CHECK_LOW6.");

    await postForm(server, "/test-promo", { form: "promo", code: "CHECK_FOREVER" }, cookie);
    expect(await textOf(await check("PREMIUM3", cookie))).toMatch(
      /You already have CSV \+ Banking forever\. This code gives you CSV \+ Banking until .* so it would add nothing/,
    );
    expect([await uses("PREMIUM3"), await uses("CHECK_LOW6")]).toEqual([before[0], Number(before[1]) + 1]);
    const { rows } = await server.pool.query("SELECT promo_code FROM grants WHERE user_id = $1", [id]);
    expect(rows.map((row) => row.promo_code).toSorted()).toEqual(["CHECK_FOREVER", "CHECK_LOW6"]);
  });

  test("a second month on the same day is kept, and both answers say why", async () => {
    const { cookie } = await createSignedInUser(server.pool);
    await postForm(server, "/test-promo", { form: "promo", code: "WELCOME" }, cookie);
    const before = await uses("CHECK_MONTH");
    const why =
      /This code gives you CSV Only until .*, so it would add less than a day\. You can still use it later\./;
    expect(await textOf(await check("CHECK_MONTH", cookie))).toMatch(why);
    const applied = await postForm(server, "/test-promo", { form: "promo", code: "CHECK_MONTH" }, cookie);
    expect(applied.status).toBe(409);
    expect(await textOf(applied)).toMatch(why);
    expect(await uses("CHECK_MONTH")).toBe(before);
  });

  test("a code without a plan of its own gives the chosen one", async () => {
    const { cookie } = await createSignedInUser(server.pool);
    expect(await textOf(await check("WELCOME", cookie))).toContain("It gives you CSV Only until");
    expect(await textOf(await check("WELCOME", cookie, "premium"))).toContain(
      "It gives you CSV + Banking until",
    );
  });

  test("a code for confirmed addresses says so until the address is", async () => {
    const user = await createSignedInUser(server.pool);
    const said = "Confirm your email address first";
    expect(await textOf(await check("CHECK_CONFIRMED", user.cookie))).toContain(said);
    await verify(server, user);
    expect(await textOf(await check("CHECK_CONFIRMED", user.cookie))).not.toContain(said);
  });

  test("a code once per mailbox is refused to another spelling once it is redeemed, here and where it is applied", async () => {
    await server.pool.query(
      "INSERT INTO promo_codes (code, duration_type, once_per_mailbox) VALUES ('CHECK_MAILBOX', 'forever', true)",
    );
    const [first, second] = [await createSignedInUser(server.pool), await createSignedInUser(server.pool)];
    await server.pool.query(`UPDATE "user" SET email = $2 WHERE id = $1`, [
      second.id,
      `${first.id}+x@example.com`,
    ]);
    const refused = "Invalid or expired promo code";
    expect(await textOf(await check("CHECK_MAILBOX", second.cookie))).not.toContain(refused);
    await postForm(server, "/test-promo", { form: "promo", code: "CHECK_MAILBOX" }, first.cookie);
    expect(await textOf(await check("CHECK_MAILBOX", first.cookie))).toContain("You’ve already applied");
    expect(await textOf(await check("CHECK_MAILBOX", second.cookie))).toContain(refused);
    const applied = await postForm(
      server,
      "/test-promo",
      { form: "promo", code: "CHECK_MAILBOX" },
      second.cookie,
    );
    expect([applied.status, await textOf(applied)]).toEqual([400, expect.stringContaining(refused)]);
    expect(await uses("CHECK_MAILBOX")).toBe(1);
  });

  test.each(["NOSUCH", "CHECK_OVER", "USEDUP"])(
    "%s is refused in the words for applying it",
    async (code) => {
      const { cookie } = await createSignedInUser(server.pool);
      const page = await textOf(await check(code, cookie));
      expect(page).toContain("Invalid or expired promo code");
      expect(page).toContain(`value="${code}"`);
    },
  );

  test("the resource the form asks says the same", async () => {
    const { cookie } = await createSignedInUser(server.pool);
    const ask = async (query: string, as?: string) => (await get(server, `/promo/check?${query}`, as)).json();
    expect(await ask("code=premium3&tier=basic", cookie)).toMatchObject({
      typed: "premium3",
      checked: { code: "PREMIUM3", tier: "premium", months: 3, effect: { kind: "applies", tier: "premium" } },
    });
    expect(await ask("code=premium3")).toMatchObject({ checked: { code: "PREMIUM3", effect: null } });
    expect(await ask("code=nosuch")).toMatchObject({
      checked: null,
      message: "Invalid or expired promo code",
    });
    expect(await ask("")).toMatchObject({ checked: null, message: "Please enter a promo code" });
  });
});

describe("signed out", () => {
  test.each([
    ["/subscription", "WELCOME", "/subscription?promo=WELCOME"],
    ["/test-promo", " spring 25&x=1 ", "/test-promo?promo=spring+25%26x%3D1"],
  ])("checking on %s leads to signing in and keeps %j", async (path, code, returnTo) => {
    const answer = await postForm(server, path, { form: "promo", intent: "check", code });
    const query = new URLSearchParams({ return_to: returnTo, reason: "promo" });
    expect([answer.status, answer.headers.get("location")]).toEqual([303, `/login?${query}`]);
    const byRouter = await postByRouter(server, path, { form: "promo", intent: "check", code });
    expect(await readRouterAnswer(byRouter)).toEqual({ redirect: `/login?${query}` });
  });

  test("what the form looks up says what the code gives", async () => {
    const answer = await getByRouter(server, "/promo/check?code=premium3&tier=basic", "promo/check");
    expect(await readRouterAnswer(answer, "promo/check")).toEqual({
      data: {
        typed: "premium3",
        chosen: "basic",
        message: null,
        checked: {
          code: "PREMIUM3",
          tier: "premium",
          months: 3,
          effect: null,
          redeemableUntil: null,
          needsConfirmation: false,
        },
      },
    });
  });

  test("/test-promo is open: no subscription, and applying says that one must be logged in", async () => {
    const before = await uses("PREMIUM3");
    const opened = await get(server, "/test-promo?promo=PREMIUM3");
    expect(opened.status).toBe(200);
    const page = await textOf(opened);
    expect(page).toContain("No active subscription found. Please subscribe to access Ownwords features.");
    expect(page).toContain('value="PREMIUM3"');
    expect(page).toContain("PREMIUM3 is good.");
    expect(page).toContain("It gives you CSV + Banking free for 3 months.");
    expect(page).toContain('href="/login?return_to=%2Fsubscription%3Fpromo%3DPREMIUM3&amp;reason=promo"');
    for (const code of ["premium3", "NOSUCH"]) {
      const applied = await postForm(server, "/test-promo", { form: "promo", code });
      expect(applied.status).toBe(401);
      const refused = await textOf(applied);
      expect(refused).toContain("User must be logged in to apply a promo code");
      expect(refused).toContain(`value="${code}"`);
      expect(refused).toContain(`href="/login?return_to=%2Ftest-promo%3Fpromo%3D${code}&amp;reason=promo"`);
    }
    expect(await uses("PREMIUM3")).toBe(before);
  });
});

describe("in a link", () => {
  test("visitors read what it gives, for how long and until when, on the pages before signing up", async () => {
    for (const path of ["/pricing", "/register"]) {
      const good = await textOf(await get(server, `${path}?promo=check_low6`));
      expect(good).toMatch(
        /Promo code .*check_low6.* is saved\. It gives you CSV Only free for 6 months\. Use it by January 31, 2999, 11:59 PM UTC\./,
      );
      const bad = await textOf(await get(server, `${path}?promo=nosuch`));
      expect(bad).toContain("Invalid or expired promo code");
      expect(bad).not.toContain("is saved");
    }
    expect(await textOf(await get(server, "/pricing?promo=welcome"))).toContain(
      "It gives you a plan of your choice free for 1 month.",
    );
    expect(await textOf(await get(server, "/pricing?promo=check_forever"))).toContain(
      "free, with no end date",
    );
  });

  test("a wrong code is not carried on from the pricing page", async () => {
    const bad = await textOf(await get(server, "/pricing?promo=nosuch"));
    expect(bad).not.toContain("promo%3Dnosuch");
    expect(await textOf(await get(server, "/pricing?promo=welcome"))).toContain("promo%3Dwelcome");
  });

  test("the mail that confirms the address leads back to it", async () => {
    const returnTo = "/subscription?promo=PREMIUM3";
    const email = `${randomUUID()}@example.com`;
    const form = { name: "Ada", email, password: PASSWORD, return_to: returnTo };
    expect((await postForm(server, "/register", form)).headers.get("location")).toBe(returnTo);
    const { rows: users } = await server.pool.query(`SELECT id FROM "user" WHERE email = $1`, [email]);
    const [{ id }] = users;
    const { rows } = await server.pool.query("SELECT return_to FROM mail_links WHERE user_id = $1", [id]);
    expect(rows).toEqual([{ return_to: returnTo }]);
    const done = await get(server, `/verify-email/done?return_to=${encodeURIComponent(returnTo)}`);
    expect(await textOf(done)).toContain(`return_to=${encodeURIComponent(returnTo)}`);
  });

  test("it leads through signing up to the page where it is applied", async () => {
    const page = await textOf(
      await get(server, "/register?promo=PREMIUM3&billing=monthly&plan=prod_csv_only"),
    );
    const returnTo = "/subscription?plan=prod_csv_only&billing=monthly&promo=PREMIUM3";
    expect(page).toContain(`value="${returnTo.replaceAll("&", "&amp;")}"`);
    const { cookie } = await createSignedInUser(server.pool);
    const signedIn = await get(server, "/register?promo=PREMIUM3", cookie);
    expect(signedIn.headers.get("location")).toBe("/subscription?promo=PREMIUM3");
    expect((await get(server, "/login?promo=PREMIUM3", cookie)).headers.get("location")).toBe(
      "/subscription?promo=PREMIUM3",
    );
  });

  test("the plan page only says of a good one that it is ready", async () => {
    const { cookie } = await createSignedInUser(server.pool);
    expect(await textOf(await get(server, "/subscription?promo=premium3", cookie))).toContain(
      "PREMIUM3 is ready",
    );
    const bad = await textOf(await get(server, "/subscription?promo=nosuch", cookie));
    expect(bad).not.toContain("is ready");
    expect(bad).toContain("Invalid or expired promo code");
  });
});

test("wrong codes that are looked at count as those that are applied do; right ones never", async () => {
  const client = asClient();
  const look = async (code: string) =>
    textOf(await fetch(`${server.origin}/pricing?promo=${code}`, { headers: client }));
  for (let looked = 0; looked < 35; looked++) expect(await look("WELCOME")).toContain("is saved");
  for (let looked = 0; looked < 30; looked++) expect(await look(`NOSUCH${looked}`)).toContain("Invalid or");
  expect(await look("WELCOME")).toMatch(/WELCOME.*: Wait \d+ minutes and try again/);
  const { cookie } = await createSignedInUser(server.pool);
  const applied = await postForm(server, "/subscription", { form: "promo", code: "WELCOME" }, cookie, client);
  expect(applied.status).toBe(429);
});
