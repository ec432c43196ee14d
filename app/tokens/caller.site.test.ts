import { exportJWK, generateKeyPair, importJWK, type JWTPayload, SignJWT } from "jose";
import { expect, test } from "vitest";
import { call, checkoutOf } from "../../test/http.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import { callAs, fetchToken, readToken } from "../../test/tokens.ts";
import { createSignedInUser } from "../../test/users.ts";

const SIGNED_OUT = { error: { status: "UNAUTHENTICATED", message: "This sign-in has ended. Log in again." } };

const server = sharedServer();

async function signedIn() {
  const user = await createSignedInUser(server.pool);
  return { ...user, token: await fetchToken(server, user.cookie) };
}

/** Who is told to be calling, by what changes their name. */
async function nameCaller(headers: Record<string, string>) {
  const response = await callAs(server, "/v1/accounts:update", {}, headers);
  return { status: response.status, body: await response.json() };
}

function bearer(token: string) {
  return { authorization: `Bearer ${token}` };
}

/** A key that is published as ours, to which the test has the private half: what a forger never has. */
async function publishKey(alg = "ES256") {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  const id = crypto.randomUUID();
  await server.pool.query(
    `INSERT INTO jwks (id, public_key, private_key, alg, created_at, expires_at)
     VALUES ($1, $2, '""', $3, '2020-01-01', now() + interval '1 day')`,
    [id, JSON.stringify(await exportJWK(publicKey)), alg],
  );
  return { kid: id, privateKey, alg };
}

test("createCheckoutSession takes a bearer token, and what else client libraries send along", async () => {
  const { token } = await signedIn();
  const response = await callAs(
    server,
    "/functions/us-central1/createCheckoutSession",
    { data: checkoutOf(server) },
    { ...bearer(token), "firebase-instance-id-token": "x", "x-firebase-appcheck": "y" },
  );
  expect(response.status).toBe(200);
  expect((await response.json()).data.url).toMatch(`${server.origin}/sandbox/stripe/checkout/`);
  expect((await call(server, checkoutOf(server))).status).toBe(401);
});

test("a bearer token is good from no origin at all, because it is no cookie", async () => {
  const { id, token } = await signedIn();
  const response = await fetch(`${server.origin}/v1/accounts:update`, {
    method: "POST",
    headers: { ...bearer(token), "content-type": "application/json" },
    body: "{}",
  });
  expect((await response.json()).localId).toBe(id);
});

test("a token dies with its session, and its user", async () => {
  const one = await signedIn();
  await server.pool.query("DELETE FROM session WHERE id = $1", [one.id]);
  expect(await nameCaller(bearer(one.token))).toEqual({ status: 401, body: SIGNED_OUT });

  const two = await signedIn();
  await server.pool.query("UPDATE session SET expires_at = now() WHERE id = $1", [two.id]);
  expect((await nameCaller(bearer(two.token))).status).toBe(401);

  const three = await signedIn();
  await server.pool.query(`DELETE FROM "user" WHERE id = $1`, [three.id]);
  expect((await nameCaller(bearer(three.token))).status).toBe(401);
});

test("beside a good cookie a bad token is bad, and a good one counts", async () => {
  const [ada, ben] = [await signedIn(), await signedIn()];
  expect((await nameCaller({ cookie: ada.cookie })).body.localId).toBe(ada.id);
  expect((await nameCaller({ cookie: ada.cookie, ...bearer(ben.token) })).body.localId).toBe(ben.id);
  expect((await nameCaller({ cookie: ada.cookie, ...bearer("x.y.z") })).status).toBe(401);
  expect((await nameCaller({ cookie: ada.cookie, authorization: "Basic eDp5" })).body.localId).toBe(ada.id);
  const checkout = await callAs(
    server,
    "/functions/us-central1/createCheckoutSession",
    { data: checkoutOf(server) },
    { cookie: ada.cookie, ...bearer("x.y.z") },
  );
  expect(await checkout.json()).toEqual(SIGNED_OUT);
});

test("a token signed by a published key needs the right claims besides", async () => {
  const { id, token } = await signedIn();
  const claims = await readToken(server, token);
  const key = await publishKey();
  const sign = (change: JWTPayload, { kid, privateKey, alg } = key) =>
    new SignJWT({ ...claims, ...change }).setProtectedHeader({ alg, kid }).sign(privateKey);

  expect((await nameCaller(bearer(await sign({})))).body.localId).toBe(id);
  const another = await signedIn();
  const now = Math.floor(Date.now() / 1000);
  const wrong: JWTPayload[] = [
    { exp: now - 1 },
    { exp: undefined },
    { iss: "https://evil.example" },
    { aud: "https://evil.example" },
    { sid: undefined },
    { sid: another.id },
    { sub: another.id },
    { nbf: now + 600 },
  ];
  for (const change of wrong) {
    expect([change, (await nameCaller(bearer(await sign(change)))).status]).toEqual([change, 401]);
  }
  const weaker = await publishKey("RS256");
  expect((await nameCaller(bearer(await sign({}, weaker)))).status).toBe(401);
});

test("forged tokens name no user", async () => {
  const { token } = await signedIn();
  const claims = await readToken(server, token);
  const [header = "", payload = ""] = token.split(".");
  const { kid } = JSON.parse(Buffer.from(header, "base64url").toString());
  const { privateKey } = await generateKeyPair("ES256");
  const { keys } = await (await fetch(`${server.origin}/.well-known/jwks.json`)).json();
  const publicHalf = JSON.stringify(keys.find((key: { kid: string }) => key.kid === kid));
  const hmac = (secret: string) =>
    new SignJWT(claims).setProtectedHeader({ alg: "HS256", kid }).sign(new TextEncoder().encode(secret));
  const none = Buffer.from(JSON.stringify({ alg: "none", kid })).toString("base64url");

  const forged = [
    await new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid }).sign(privateKey),
    await new SignJWT(claims)
      .setProtectedHeader({
        alg: "ES256",
        kid: "another",
        jwk: await exportJWK((await generateKeyPair("ES256")).publicKey),
      })
      .sign(privateKey),
    await hmac(AUTH_SECRET),
    await hmac(publicHalf),
    `${none}.${payload}.`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    "",
    "null",
  ];
  for (const token of forged) expect([token, (await nameCaller(bearer(token))).status]).toEqual([token, 401]);
  expect(await importJWK(JSON.parse(publicHalf), "ES256")).toBeDefined();
});
