import { createPublicKey } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  jwtVerify,
  UnsecuredJWT,
} from "jose";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { answerIn, ISSUER, requestIn, startTestIdentity, type TestIdentity } from "../testing/identity.ts";
import { openIdentitySandbox } from "./identity.ts";

let running: TestIdentity;
beforeAll(async () => {
  running = await startTestIdentity();
});
afterEach(() => running.setKnobs({ reset: true }));
afterAll(() => running.close());

const DEFAULTS = {
  email_verified: null,
  hosted_domain: true,
  email: "send",
  nonce: "right",
  audience: "right",
  issuer: "right",
  alg: "RS256",
  expired: false,
  denial: false,
  authorize_error: "",
  token: "ok",
  coop: false,
};

test("knobs stay as they were turned, in every process, until they are put back", async () => {
  const { get, setKnobs, options } = running;
  expect(await (await get("/control")).json()).toEqual(DEFAULTS);
  await setKnobs({ nonce: "wrong" });
  const answer = await setKnobs({ email_verified: false });
  const turned = { ...DEFAULTS, nonce: "wrong", email_verified: false };
  expect(await answer.json()).toEqual(turned);
  const other = await openIdentitySandbox(options);
  const seen = await other.handle(new Request(`${running.origin}/sandbox/identity/control`));
  expect(await seen.json()).toEqual(turned);
  const mixed = await setKnobs({ reset: true, coop: true });
  expect(await mixed.json()).toEqual({ ...DEFAULTS, coop: true });
});

test.each([{ nonce: "sideways" }, { unknown: true }, { reset: false }, { authorize_error: "a b&c" }, "text"])(
  "%j turns nothing",
  async (knobs) => {
    const { get, setKnobs } = running;
    expect((await setKnobs(knobs as object)).status).toBe(400);
    expect(await (await get("/control")).json()).toEqual(DEFAULTS);
  },
);

/** Signs Ada in and verifies as a client should that believes the JWKS alone. */
async function verified(): Promise<JWTPayload> {
  const jwks = createLocalJWKSet(await (await running.get("/google/jwks")).json());
  const options = { issuer: ISSUER, audience: "sandbox-google", algorithms: ["RS256"] };
  return (await jwtVerify(await idToken(), jwks, options)).payload;
}

async function idToken(email?: string): Promise<string> {
  const { codeOf, exchange } = running;
  return (await (await exchange("google", await codeOf("google", email))).json()).id_token;
}

test.each([true, false])("email_verified says %s of everybody", async (email_verified) => {
  await running.setKnobs({ email_verified });
  for (const email of ["ada@example.com", "unverified@example.com"])
    expect(decodeJwt(await idToken(email))).toMatchObject({ email, email_verified });
});

test("an address that is left out is left out everywhere", async () => {
  const { setKnobs, codeOf, exchange, get } = running;
  await setKnobs({ email: "omit" });
  const claims = await verified();
  expect(claims).toHaveProperty("name", "Ada Lovelace");
  expect(claims).not.toHaveProperty("email");
  expect(claims).not.toHaveProperty("email_verified");
  const { access_token } = await (await exchange("facebook", await codeOf("facebook"))).json();
  const headers = { authorization: `Bearer ${access_token}` };
  const profile = await (await get("/facebook/me?fields=id,name,email", { headers })).json();
  expect(Object.keys(profile)).toEqual(["id", "name"]);
});

test("the nonce is another one, or missing; the token verifies all the same", async () => {
  await running.setKnobs({ nonce: "wrong" });
  const wrong = await verified();
  expect(wrong.nonce).toEqual(expect.any(String));
  expect(wrong.nonce).not.toBe("nonce of this browser");
  await running.setKnobs({ nonce: "missing" });
  expect(await verified()).not.toHaveProperty("nonce");
});

test.each([
  [{ audience: "wrong" }, "aud"],
  [{ issuer: "wrong" }, "iss"],
  [{ expired: true }, "exp"],
])("%j fails at its claim alone", async (knobs, claim) => {
  await running.setKnobs(knobs);
  await expect(verified()).rejects.toMatchObject({ claim });
  await running.setKnobs({ reset: true });
  expect(await verified()).toHaveProperty("email", "ada@example.com");
});

test("alg none is a token without a signature", async () => {
  await running.setKnobs({ alg: "none" });
  const token = await idToken();
  expect(UnsecuredJWT.decode(token, { issuer: ISSUER }).payload).toHaveProperty("email", "ada@example.com");
  await expect(verified()).rejects.toThrow(errors.JOSEAlgNotAllowed);
});

test.each(["HS256", "HS256_secret"])("%s takes in who lets the token choose", async (alg) => {
  const { get, setKnobs } = running;
  await setKnobs({ alg });
  const [jwk] = (await (await get("/google/jwks")).json()).keys;
  const publicKey = createPublicKey({ key: jwk, format: "jwk" }).export({ type: "spki", format: "pem" });
  const secret = alg === "HS256" ? String(publicKey).trim() : "sandbox-google-secret";
  const token = await idToken();
  expect(decodeProtectedHeader(token)).toMatchObject({ alg: "HS256", kid: jwk.kid });
  const { payload } = await jwtVerify(token, new TextEncoder().encode(secret));
  expect(payload).toHaveProperty("email", "ada@example.com");
  await expect(verified()).rejects.toThrow(errors.JOSEAlgNotAllowed);
});

test("unknown_key signs with a key that is nowhere to be found", async () => {
  await running.setKnobs({ alg: "unknown_key" });
  await expect(verified()).rejects.toThrow(errors.JWKSNoMatchingKey);
});

test("denial and an error come back at once, to a client that is unknown too", async () => {
  const { authorize, setKnobs } = running;
  const state = "state of this browser";
  await setKnobs({ denial: true });
  expect(answerIn(await authorize("google"))).toEqual({ error: "access_denied", state });
  expect(answerIn(await authorize("facebook"))).toMatchObject({ error_reason: "user_denied", state });
  await setKnobs({ reset: true, authorize_error: "invalid_client" });
  const answer = await authorize("google", { client_id: "nobody" });
  expect(answerIn(answer)).toEqual({ error: "invalid_client", state });
});

test("coop is on everything a browser opens", async () => {
  const { authorize, choose, get, post, setKnobs } = running;
  await setKnobs({ coop: true });
  for (const provider of ["google", "facebook"] as const) {
    const chooser = await authorize(provider);
    const request = requestIn(await chooser.clone().text());
    const opened = [
      chooser,
      await authorize(provider, { client_id: "nobody" }),
      await choose(provider, { choice: "cancel" }),
      await post(`/${provider}/choose`, { request, choice: "ada@example.com" }),
    ];
    for (const answer of opened) expect(answer.headers.get("cross-origin-opener-policy")).toBe("same-origin");
  }
  await setKnobs({ coop: false });
  expect((await get("/control")).headers.get("cross-origin-opener-policy")).toBeNull();
});

test("the token endpoint refuses, breaks or talks nonsense, and the code stays good", async () => {
  const { codeOf, exchange, setKnobs } = running;
  const google = await codeOf("google");
  const facebook = await codeOf("facebook");
  await setKnobs({ token: "invalid_client" });
  expect((await exchange("google", google)).status).toBe(401);
  expect(await (await exchange("facebook", facebook)).json()).toMatchObject({ error: { code: 101 } });
  await setKnobs({ token: "invalid_grant" });
  expect(await (await exchange("google", google)).json()).toMatchObject({ error: "invalid_grant" });
  expect(await (await exchange("facebook", facebook)).json()).toMatchObject({ error: { code: 100 } });
  await setKnobs({ token: "500" });
  expect((await exchange("google", google)).status).toBe(500);
  await setKnobs({ token: "garbage" });
  const garbage = await exchange("google", google);
  expect([garbage.status, garbage.headers.get("content-type")]).toEqual([200, "application/json"]);
  await expect(garbage.json()).rejects.toThrow(SyntaxError);
  await setKnobs({ token: "ok" });
  expect((await exchange("google", google)).status).toBe(200);
  expect((await exchange("facebook", facebook)).status).toBe(200);
});

test("a request that hangs is answered when the process is ending, and none hangs after that", async () => {
  const other = await startTestIdentity();
  const code = await other.codeOf("google");
  await other.setKnobs({ token: "hang" });
  const hanging = other.exchange("google", code);
  expect(await Promise.race([hanging, sleep(300, "hanging")])).toBe("hanging");
  other.ending.abort();
  expect((await hanging).status).toBe(503);
  expect((await other.exchange("google", code)).status).toBe(503);
  await other.close();
});
