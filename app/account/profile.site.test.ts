import { expect, test } from "vitest";
import { call, checkoutOf, cookieOf, eventually, mainOf, postForm } from "../../test/http.ts";
import { waitForLocks } from "../../test/locks.ts";
import { linkIn, mailTo } from "../../test/mail.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createPerson, get, makeStale, PASSWORD, postAs, signUp } from "../../test/users.ts";

const server = sharedServer();

/** Every page and action that only its owner may use, and only shortly after showing who they are. */
const SENSITIVE = ["/email", "/password", "/connections", "/sessions", "/delete"].map(
  (page) => `/account${page}`,
);

test("signed out, every page and action leads to /login and back", async () => {
  for (const path of ["/account", "/account/confirm", "/account/export", ...SENSITIVE]) {
    const login = `/login?${new URLSearchParams({ return_to: path })}`;
    const page = await get(server, path);
    expect([path, page.status, page.headers.get("location")]).toEqual([path, 302, login]);
    if (path === "/account/export") continue;
    const sent = await postForm(server, path, {});
    expect([path, sent.status, sent.headers.get("location")]).toEqual([path, 302, login]);
  }
});

test("a quarter of an hour after signing in, what is sensitive asks who you are and changes nothing", async () => {
  const person = await createPerson(server.pool);
  for (const path of SENSITIVE) expect((await get(server, path, person.cookie)).status).toBe(200);
  await makeStale(server, person);
  for (const path of SENSITIVE) {
    const confirm = `/account/confirm?${new URLSearchParams({ return_to: path })}`;
    const page = await get(server, path, person.cookie);
    expect([path, page.status, page.headers.get("location")]).toEqual([path, 303, confirm]);
    const everyField = {
      email: person.email,
      password: "lantern pickle ocean 12",
      current_password: PASSWORD,
      end: "others",
      disconnect: "x",
      subscription: "",
    };
    const sent = await postForm(server, path, everyField, person.cookie);
    expect([path, sent.status, sent.headers.get("location")]).toEqual([path, 303, confirm]);
  }
  const download = await get(server, "/account/export", person.cookie);
  expect(download.headers.get("location")).toBe("/account/confirm?return_to=%2Faccount%3Fexport%3Dready");
  // The profile itself is not.
  expect((await get(server, "/account", person.cookie)).status).toBe(200);
});

test("confirming with the password opens them again, for this session only", async () => {
  const person = await createPerson(server.pool);
  await makeStale(server, person);
  const path = "/account/confirm?return_to=/account/sessions";
  const wrong = await postForm(server, path, { password: "not the password" }, person.cookie);
  expect(wrong.status).toBe(400);
  const page = await mainOf(wrong);
  expect(page).toContain("We couldn’t confirm it’s you");
  expect(page).toContain("Wrong password.");
  expect(page).not.toContain("not the password");
  for (const password of ["", "x".repeat(5000)])
    expect((await postForm(server, path, { password }, person.cookie)).status).toBe(400);
  expect((await get(server, "/account/sessions", person.cookie)).status).toBe(303);

  const right = await postAs(server, person, path, { password: PASSWORD });
  expect([right.status, right.headers.get("location")]).toEqual([303, "/account/sessions"]);
  expect((await get(server, "/account/sessions", person.cookie)).status).toBe(200);
});

test("confirming changes the session's token, for both of a form sent twice; the one before is dead and takes no cookie away", async () => {
  const person = await createPerson(server.pool);
  const copied = person.cookie;
  const confirm = () => postForm(server, "/account/confirm", { password: PASSWORD }, copied);
  // Both are under way before either has a new token.
  const holder = await server.pool.connect();
  await holder.query("BEGIN");
  await holder.query("SELECT FROM session WHERE user_id = $1 FOR UPDATE", [person.id]);
  const both = Promise.all([confirm(), confirm()]);
  await waitForLocks(server.pool, 2, 'update "session"%');
  await holder.query("COMMIT");
  holder.release();
  const [first, second] = (await both).map(cookieOf);
  expect([first, second]).toEqual([expect.stringMatching(/^session=./), first]);
  expect(first).not.toBe(copied);
  expect((await get(server, "/account", first)).status).toBe(200);
  const late = await get(server, "/account", copied);
  expect([late.headers.get("location"), late.headers.getSetCookie()]).toEqual([
    "/login?return_to=%2Faccount",
    [],
  ]);
  expect((await confirm()).headers.get("location")).toBe("/login?return_to=%2Faccount%2Fconfirm");
  const unknown = await get(server, "/account", `session=${btoa(JSON.stringify("x".repeat(43)))}`);
  expect(cookieOf(unknown)).toBe("session=");
});

test("confirming leads nowhere else", async () => {
  const person = await createPerson(server.pool);
  for (const returnTo of ["//evil.example", "https://evil.example/x", "/\\evil.example"]) {
    const path = `/account/confirm?${new URLSearchParams({ return_to: returnTo })}`;
    const answer = await postAs(server, person, path, { password: PASSWORD });
    expect([returnTo, answer.headers.get("location")]).toEqual([returnTo, "/account"]);
  }
});

test("name and photo: kept as given, and refused with what was typed", async () => {
  const { id, cookie } = await createPerson(server.pool);
  const kept = async () =>
    (await server.pool.query(`SELECT name, image FROM "user" WHERE id = $1`, [id])).rows[0];
  const save = (name: string, photo: string) => postForm(server, "/account", { name, photo }, cookie);

  const saved = await save("  Zoë 王  ", "https://photos.example/zoe.jpg?a=1&b=2");
  expect([saved.status, saved.headers.get("location")]).toEqual([303, "/account?changed=profile"]);
  expect(await kept()).toEqual({ name: "Zoë 王", image: "https://photos.example/zoe.jpg?a=1&b=2" });

  for (const [name, photo] of [
    ["", ""],
    ["A\u0000b", ""],
    ["x".repeat(101), ""],
    ["Zoë", "http://photos.example/zoe.jpg"],
    ["Zoë", "javascript:alert(1)"],
    ["Zoë", "data:image/png;base64,AAAA"],
    ["Zoë", `https://photos.example/${"x".repeat(2000)}`],
    ["Zoë", "zoe.jpg"],
  ] as const) {
    const refused = await save(name, photo);
    expect([photo.slice(0, 40), refused.status]).toEqual([photo.slice(0, 40), 400]);
    expect(await refused.text()).toContain("Your profile wasn’t saved");
  }
  expect(await kept()).toMatchObject({ name: "Zoë 王" });

  expect((await save("Zoë", "")).status).toBe(303);
  expect(await kept()).toEqual({ name: "Zoë", image: null });
});

test("the header of account pages says who is signed in, and only there may photos come from elsewhere", async () => {
  const { email, cookie } = await createPerson(server.pool);
  await postForm(server, "/account", { name: "Zoë <b>", photo: "https://photos.example/z.jpg" }, cookie);
  for (const path of ["/dashboard", "/subscription", "/test-promo", "/account", "/account/email"]) {
    const page = await get(server, path, cookie);
    expect(page.headers.get("content-security-policy")).toMatch(/img-src 'self' data: https:;/);
    const html = await page.text();
    expect(html).toContain(
      '<span class="sr-only">Signed in as </span><strong><bdi>Zoë &lt;b&gt;</bdi></strong>',
    );
    expect(html).toMatch(
      /<img src="https:\/\/photos.example\/z.jpg" alt="" [^>]*referrerPolicy="no-referrer"/i,
    );
    for (const way of ["/dashboard", "/subscription", "/account"]) expect(html).toContain(`href="${way}"`);
  }
  await server.pool.query(`UPDATE "user" SET name = '' WHERE email = $1`, [email]);
  expect(await (await get(server, "/account", cookie)).text()).toContain(
    `<strong><bdi>${email}</bdi></strong>`,
  );

  for (const path of ["/", "/pricing", "/forgot-password/sent"]) {
    const page = await get(server, path, cookie);
    expect(page.headers.get("content-security-policy")).toMatch(/img-src 'self' data:;/);
    expect(await page.text()).not.toContain("Signed in as");
  }
});

test("an address that is not confirmed is told so, on the dashboard and the profile", async () => {
  const person = await signUp(server);
  for (const path of ["/dashboard", "/account"]) {
    const page = await mainOf(await get(server, path, person.cookie));
    expect(page).toContain("Send the email again");
    expect(page).toContain('action="/verify-email/sent"');
  }
  const link = linkIn(await mailTo(server, person.email, /^Confirm/), "/verify-email");
  await postForm(server, link, {}, person.cookie);
  for (const path of ["/dashboard", "/account"])
    expect(await mainOf(await get(server, path, person.cookie))).not.toContain("Send the email again");
});

test("a changed name is sent to Stripe", async () => {
  const { id, cookie } = await createPerson(server.pool);
  expect((await call(server, checkoutOf(server), cookie)).status).toBe(200);
  await postForm(server, "/account", { name: "Countess Lovelace", photo: "" }, cookie);
  await eventually(async () => {
    const { rows } = await server.pool.query(
      `SELECT object->>'name' AS name FROM sandbox_stripe.objects
       WHERE id = (SELECT stripe_customer_id FROM customers WHERE user_id = $1)`,
      [id],
    );
    return rows[0]?.name === "Countess Lovelace";
  }, "the customer's name at Stripe");
});
