import { decodeJwt } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerIn, requestIn, SITE, startTestIdentity, type TestIdentity } from "../testing/identity.ts";

let running: TestIdentity;
beforeAll(async () => {
  running = await startTestIdentity();
});
afterAll(() => running.close());

test.each([
  ["google", "Unverified Ursula unverified@example.com · not verified", "The email address is verified"],
  ["facebook", "No Email Noel no-email@example.com · not shared", "Share the email address"],
] as const)("%s asks who it is, and leads back to the site alone", async (provider, special, box) => {
  const page = await running.authorize(provider);
  expect(page.status).toBe(200);
  const policy = page.headers.get("content-security-policy");
  expect(policy).toContain(`form-action 'self' ${SITE};`);
  expect(policy).not.toContain("script-src");
  expect(page.headers.get("cross-origin-opener-policy")).toBeNull();
  const text = textOf(await page.text());
  expect(text).toContain("Choose an account to continue to site.example");
  expect(text).toContain(`Ada Lovelace ada@example.com Grace Hopper grace@example.com ${special}`);
  expect(text).toContain(`Another email address Continue ${box} Cancel`);
});

function textOf(page: string): string {
  return page.replace(/<style>.*<\/style>|<[^>]*>/gs, " ").replace(/\s+/g, " ");
}

test("who does not want to is sent back in each provider's words", async () => {
  const google = await running.choose("google", { choice: "cancel" });
  expect(answerIn(google)).toEqual({ error: "access_denied", state: "state of this browser" });
  const facebook = await running.choose("facebook", { choice: "cancel" });
  expect(answerIn(facebook)).toEqual({
    error: "access_denied",
    error_code: "200",
    error_description: "Permissions error",
    error_reason: "user_denied",
    state: "state of this browser",
  });
});

test("what the callback has in its query stays there; no state, none comes back", async () => {
  const redirect_uri = `${SITE}/auth/callback/google?popup=1`;
  const answer = await running.choose("google", { choice: "cancel" }, { redirect_uri, state: undefined });
  expect(answer.headers.get("location")).toBe(`${redirect_uri}&error=access_denied`);
});

test("anybody can sign in by an address, and is the same person every time", async () => {
  const first = await accountOf({ email: " Mary@Example.com ", verified: "on" });
  expect(first).toMatchObject({ name: "Mary", email: "Mary@Example.com", email_verified: true });
  const unverified = await accountOf({ email: "mary@example.com" });
  expect(unverified).toMatchObject({ sub: first.sub, email_verified: false });
  expect((await accountOf({ email: "bob@example.com" })).sub).not.toBe(first.sub);
  const ada = await accountOf({ email: "ada@example.com" });
  expect(ada).toMatchObject({ name: "Ada Lovelace", email_verified: false });
  expect(ada.sub).toBe((await accountOf({ choice: "ada@example.com" })).sub);
});

async function accountOf(pressed: Record<string, string>) {
  const { choose, exchange } = running;
  const { code = "" } = answerIn(await choose("google", { choice: "other", ...pressed }));
  const { id_token } = await (await exchange("google", code)).json();
  return decodeJwt(id_token);
}

test.each(["", "ada", "ada@", `"><script>@x.example`, `${"x".repeat(250)}@example.com`])(
  "%j is no address: it is shown again, as text",
  async (email) => {
    const again = await running.choose("google", { choice: "other", email });
    expect(again.status).toBe(400);
    const page = await again.text();
    expect(page).toContain("Enter an email address, such as ada@example.com");
    expect(page).toContain(`value="${email.replace(/[<>"]/g, (each) => `&#${each.charCodeAt(0)};`)}"`);
    expect(page).not.toContain("<script");
    const mended = { request: requestIn(page), choice: "other", email: "ada@example.com" };
    expect(answerIn(await running.post("/google/choose", mended))).toHaveProperty("code");
  },
);

test("who goes back may choose again; after an hour it is over", async () => {
  const { authorize, post, pool } = running;
  const request = requestIn(await (await authorize("google")).text());
  const choices = ["ada@example.com", "grace@example.com"].map((choice) =>
    post("/google/choose", { request, choice }),
  );
  const [ada, grace] = (await Promise.all(choices)).map((answer) => answerIn(answer).code);
  expect(ada).toBeTruthy();
  expect(grace).not.toBe(ada);
  await pool.query(
    "UPDATE sandbox_identity.kept SET expires_at = expires_at - interval '61 min' WHERE id = $1",
    [request],
  );
  const late = await post("/google/choose", { request, choice: "ada@example.com" });
  expect(late.status).toBe(410);
  expect(await late.text()).toContain("This sign-in has expired");
});

test("what no page of ours sends answers nothing", async () => {
  const { authorize, choose, get } = running;
  expect((await choose("google", { choice: "other", email: "\0@example.com" })).status).toBe(410);
  expect((await choose("google", { request: undefined, choice: "cancel" })).status).toBe(410);
  const request = requestIn(await (await authorize("google")).text());
  const body = JSON.stringify({ request, choice: "cancel" });
  expect((await get("/google/choose", { method: "POST", body })).status).toBe(410);
});

test("a request of one provider is not answered at the other", async () => {
  const { authorize, post } = running;
  const request = requestIn(await (await authorize("google")).text());
  expect((await post("/facebook/choose", { request, choice: "ada@example.com" })).status).toBe(410);
});

test.each([
  "https://evil.example/auth/callback/google",
  "http://site.example/auth/callback/google",
  "https://site.example:8443/auth/callback/google",
  "https://site.example.evil.example/auth/callback/google",
  "https://site.example@evil.example/auth/callback/google",
  "https://site.example/auth/callback/%2e%2e/logout",
  "https://site.example/auth/callback/\\evil.example",
  "https://site.example/auth/callback/google#token",
  "https://site.example/dashboard",
  "HTTPS://site.example/auth/callback/google",
  "//site.example/auth/callback/google",
  "javascript:alert(1)",
  undefined,
])("nobody is sent to %s, whatever the knobs say", async (redirect_uri) => {
  const { authorize, setKnobs } = running;
  const turned = [{}, { denial: true }, { authorize_error: "server_error" }];
  try {
    for (const knobs of turned) {
      await setKnobs({ reset: true, ...knobs });
      for (const provider of ["google", "facebook"] as const) {
        const answer = await authorize(provider, { redirect_uri });
        expect([answer.status, answer.headers.get("location")]).toEqual([400, null]);
        expect(await answer.text()).toContain("Error 400: redirect_uri_mismatch");
      }
    }
  } finally {
    await setKnobs({ reset: true });
  }
});

test.each([
  ["google", { client_id: "nobody" }, "Error 401: invalid_client"],
  ["google", { client_id: undefined }, "Error 401: invalid_client"],
  ["google", { response_type: "token" }, "Error 400: unsupported_response_type"],
  ["google", { response_type: undefined }, "Error 400: unsupported_response_type"],
  ["google", { scope: "email profile" }, "Error 400: invalid_scope"],
  ["google", { code_challenge: undefined }, "Error 400: invalid_request"],
  ["google", { code_challenge: "short" }, "Error 400: invalid_request"],
  ["google", { code_challenge_method: "plain" }, "Error 400: invalid_request"],
  ["google", { code_challenge_method: undefined }, "Error 400: invalid_request"],
  ["google", { state: "\0" }, "Error 400: invalid_request"],
  ["facebook", { client_id: "sandbox-google" }, "Error 401: invalid_client"],
  ["facebook", { scope: "email,user_friends" }, "Error 400: invalid_scope"],
  ["facebook", { code_challenge: "x".repeat(43) }, "Error 400: invalid_request"],
] as const)("%s shows what is wrong with %j and sends nobody anywhere", async (provider, changes, error) => {
  const answer = await running.authorize(provider, changes);
  expect([answer.status, answer.headers.get("location")]).toEqual([Number(error.slice(6, 9)), null]);
  expect(await answer.text()).toContain(error);
});

test("there is nothing else, and nothing that reads changes anything", async () => {
  const { get } = running;
  for (const path of ["", "/", "/google", "/google/authorize/", "/github/authorize", "/facebook/authorize"])
    expect((await get(path)).status).toBe(404);
  const wrong = await get("/google/choose");
  expect([wrong.status, wrong.headers.get("allow")]).toEqual([405, "POST"]);
  expect((await get("/google/token")).status).toBe(405);
});

test("no address is ever logged", async () => {
  const { choose, codeOf, exchange, logged } = running;
  await choose("google", { choice: "other", email: "mary@example.com" });
  await exchange("google", await codeOf("google"));
  expect(logged).toContain("Identity sandbox: google exchanged a code");
  expect(running.logged.join()).not.toMatch(/@|%40|example\.com/);
});
