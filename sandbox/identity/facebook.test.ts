import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { answerIn, SITE, startTestIdentity, type TestIdentity, VERIFIER } from "../testing/identity.ts";

const FIELDS = "id,name,email";

let running: TestIdentity;
beforeAll(async () => {
  running = await startTestIdentity();
});
afterAll(() => running.close());

test("a person who was chosen comes back with a code that is worth a profile", async () => {
  const { choose, exchange, get } = running;
  const chosen = await choose("facebook", { choice: "ada@example.com" });
  expect(chosen.headers.get("location")).toMatch(`${SITE}/auth/callback/facebook?code=`);
  const { code = "", ...others } = answerIn(chosen);
  expect(others).toEqual({ state: "state of this browser" });
  const { access_token, ...rest } = await (await exchange("facebook", code)).json();
  expect(rest).toEqual({ token_type: "bearer", expires_in: 5_184_000 });

  const profile = {
    id: expect.stringMatching(/^1\d{16}$/),
    name: "Ada Lovelace",
    email: "ada@example.com",
  };
  const headers = { authorization: `Bearer ${access_token}` };
  expect(await (await get(`/facebook/me?fields=${FIELDS}`, { headers })).json()).toEqual(profile);
  const unasked = await get("/facebook/me", { headers });
  expect(await unasked.json()).toEqual({ id: profile.id, name: "Ada Lovelace" });
});

test("an address that is not shared, or not asked for, is left out", async () => {
  const { choose, codeOf } = running;
  const other = { choice: "other", email: "mary@example.com" };
  const shared = answerIn(await choose("facebook", { ...other, share: "on" })).code ?? "";
  expect(await profileOf(shared)).toMatchObject({ name: "mary", email: "mary@example.com" });
  const codes = [
    answerIn(await choose("facebook", other)).code ?? "",
    await codeOf("facebook", "no-email@example.com"),
    await codeOf("facebook", "ada@example.com", { scope: "public_profile" }),
    await codeOf("facebook", "ada@example.com", { scope: undefined }),
  ];
  for (const code of codes) expect(Object.keys(await profileOf(code))).toEqual(["id", "name"]);
});

async function profileOf(code: string) {
  const { access_token } = await (await running.exchange("facebook", code)).json();
  const headers = { authorization: `Bearer ${access_token}` };
  return (await running.get(`/facebook/me?fields=${FIELDS}`, { headers })).json();
}

test("a code is good once, and by POST", async () => {
  const { codeOf, get } = running;
  const query = new URLSearchParams({
    client_id: "sandbox-facebook",
    client_secret: "sandbox-facebook-secret",
    redirect_uri: `${SITE}/auth/callback/facebook`,
    code: await codeOf("facebook"),
  });
  expect((await get(`/facebook/oauth/access_token?${query}`)).status).toBe(405);
  const bring = () => get("/facebook/oauth/access_token", { method: "POST", body: query });
  expect((await bring()).status).toBe(200);
  expect(await errorOf(bring())).toMatchObject({ code: 100 });
});

test.each<[string, Record<string, string | undefined>, number]>([
  ["a wrong secret", { client_secret: "wrong" }, 101],
  ["no secret", { client_secret: undefined }, 101],
  ["another app", { client_id: "sandbox-google" }, 101],
  ["another address", { redirect_uri: `${SITE}/auth/callback/google` }, 100],
  ["another code", { code: "x" }, 100],
  ["a verifier nobody challenged", { code_verifier: VERIFIER }, 100],
  ["another grant type", { grant_type: "client_credentials" }, 100],
  ["a byte nobody can keep", { code: "\0" }, 100],
])("%s is worth nothing", async (_, changes, code) => {
  const { codeOf, exchange } = running;
  const error = await errorOf(exchange("facebook", await codeOf("facebook"), changes));
  expect(error).toEqual({ message: expect.any(String), type: "OAuthException", code });
});

test("a challenge, where there is one, must be met", async () => {
  const { codeOf, exchange } = running;
  const code_challenge = createHash("sha256").update(VERIFIER).digest("base64url");
  const ask = () => codeOf("facebook", undefined, { code_challenge, code_challenge_method: "S256" });
  expect((await exchange("facebook", await ask(), { code_verifier: VERIFIER })).status).toBe(200);
  expect(await errorOf(exchange("facebook", await ask()))).toMatchObject({ code: 100 });
});

test("a made-up token opens no profile, and a field that is not there is named", async () => {
  const { codeOf, exchange, get } = running;
  for (const token of ["", "x", "%00"]) {
    const headers = { authorization: `Bearer ${token}` };
    expect(await errorOf(get("/facebook/me", { headers }))).toMatchObject({ code: 190 });
  }
  const { access_token } = await (await exchange("facebook", await codeOf("facebook"))).json();
  const headers = { authorization: `Bearer ${access_token}` };
  expect(await errorOf(get("/facebook/me?fields=birthday", { headers }))).toMatchObject({ code: 100 });
});

async function errorOf(answer: Promise<Response>): Promise<{ code: number }> {
  const response = await answer;
  expect(response.status).toBe(400);
  return (await response.json()).error;
}
