import { afterAll, expect, test } from "vitest";
import { openHostedApp } from "../../test/hosted-app.ts";
import { mainOf, postForm } from "../../test/http.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { readToken } from "../../test/tokens.ts";
import { createPerson, createSignedInUsers } from "../../test/users.ts";
import { createSecretToken, hashSecret } from "../http/secret-token.server.ts";
import { PUBLIC_PAGES } from "../marketing/pages.ts";

let hostedApp: Awaited<ReturnType<typeof openHostedApp>>;
const server = setupServer(async () => {
  hostedApp = await openHostedApp();
  return {
    ...hostedApp.env,
    SIGN_IN: "redirect",
    HOSTED_APP_URL: `${hostedApp.origin}/`,
    HEADLINE: "Every penny has a name.",
  };
});

afterAll(() => hostedApp.close());

function get(path: string, cookie?: string) {
  return fetch(server.origin + path, { redirect: "manual", headers: cookie ? { cookie } : {} });
}

function hostedUrl(page: "login" | "register", path: string): string {
  return `${hostedApp.origin}/${page}?${new URLSearchParams({ return_to: server.origin + path })}`;
}

test.each([
  ["/login", "login", "Redirecting to login...", "/dashboard"],
  [
    "/login?return_to=/subscription?promo=A%26B",
    "login",
    "Redirecting to login...",
    "/subscription?promo=A&B",
  ],
  ["/login?return_to=https://evil.example/", "login", "Redirecting to login...", "/dashboard"],
  ["/login?return_to=//evil.example", "login", "Redirecting to login...", "/dashboard"],
  ["/register", "register", "Redirecting to registration...", "/subscription"],
  ["/register?return_to=/test-promo", "register", "Redirecting to registration...", "/test-promo"],
] as const)("%s leads to the hosted app by itself, and by a button", async (path, page, heading, back) => {
  const response = await get(path);
  expect(response.status).toBe(200);
  const html = await response.text();
  const url = hostedUrl(page, back);
  expect(html).toContain(`<meta http-equiv="refresh" content="0;url=${url}"/>`);
  const main = await mainOf(new Response(html));
  expect(main).toContain(`<h1>${heading}</h1>`);
  expect(main).toContain("<p>If you are not redirected, click here</p><a ");
  expect(main.split(`href="${url}"`), "the button").toHaveLength(2);
  expect(main).not.toContain("<form");
});

test("pages that need signing in lead there, with the way back", async () => {
  for (const path of ["/dashboard", "/subscription?promo=SPRING"]) {
    const response = await get(path);
    expect(response.status).toBe(302);
    const screen = await (await get(response.headers.get("Location") ?? "")).text();
    expect(screen).toContain(hostedUrl("login", path));
  }
});

test("on public pages Login and Sign Up lead there, and take along what was chosen", async () => {
  for (const { path } of PUBLIC_PAGES) {
    const page = await (await get(path)).text();
    const header = page.slice(page.indexOf("<header"), page.indexOf("</header>"));
    expect(header).toMatch(new RegExp(`<a href="${hostedApp.origin}/login"[^>]*><span>Login<`));
    expect(header).toMatch(new RegExp(`<a href="${hostedApp.origin}/register"[^>]*><span>Sign Up<`));
    expect(page).not.toContain('href="/register');
  }
  const signedIn = await (await get("/", "session=x")).text();
  expect(signedIn).toContain('<a href="/dashboard"');
  expect(signedIn).not.toContain(`${hostedApp.origin}/login`);
  // One of the other settings that show on a page, since this server has its own.
  const home = await (await get("/")).text();
  expect(home.replaceAll("<!-- -->", "")).toContain(
    '<h1>Every penny <span class="label headline-label">has a name</span></h1>',
  );
  const pricing = await (await get("/pricing?promo=PREMIUM3")).text();
  expect(pricing).toContain(
    `href="${hostedApp.origin}/register?plan=prod_csv_only&amp;billing=annual&amp;promo=PREMIUM3"`,
  );
});

test("signed-in users go on at once", async () => {
  const [user] = await createSignedInUsers(server.pool, 1);
  const response = await get("/login?return_to=/test-promo", user?.cookie);
  expect(response.headers.get("Location")).toBe("/test-promo");
});

test("there is no form to log in or sign up here", async () => {
  const fields = { name: "Eve", email: "eve@example.com", password: "correct horse battery" };
  for (const path of ["/login", "/register"]) {
    const response = await postForm(server, path, fields);
    expect([path, response.status, response.headers.get("Allow")]).toEqual([path, 405, "GET, HEAD"]);
    expect(response.headers.getSetCookie()).toEqual([]);
  }
  expect((await server.pool.query(`SELECT FROM "user" WHERE email = 'eve@example.com'`)).rowCount).toBe(0);
});

test("from the hosted app's hand to its token: one round", async () => {
  const sub = crypto.randomUUID();
  const handed = await fetch(`${server.origin}/auth/handoff`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: hostedApp.origin },
    body: new URLSearchParams({ id_token: await hostedApp.sign(server.origin, { sub }) }),
  });
  const cookie = handed.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  const { token } = await (await get("/api/token", cookie)).json();
  const claims = await readToken(server, token, hostedApp.origin);
  expect(claims).toMatchObject({ aud: hostedApp.origin, name: "Grace Hopper", email_verified: true });
});

test("a new password leads to signing in there", async () => {
  const { id, email } = await createPerson(server.pool);
  const token = createSecretToken();
  await server.pool.query(
    `INSERT INTO mail_links (token_hash, purpose, user_id, email, expires_at)
     VALUES ($1, 'reset_password', $2, $3, now() + interval '1 hour')`,
    [hashSecret(token), id, email],
  );
  const password = "lantern pickle ocean 12";
  const { status, headers } = await postForm(server, `/reset-password?token=${token}`, { password });
  expect([status, headers.get("location"), headers.getSetCookie()]).toEqual([303, "/login?reason=reset", []]);
});
