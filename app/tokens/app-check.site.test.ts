import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from "jose";
import { afterAll, expect, test } from "vitest";
import { checkoutOf, postForm } from "../../test/http.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { callAs } from "../../test/tokens.ts";
import { createSignedInUser } from "../../test/users.ts";

const AUDIENCE = "projects/123";
const NOT_OUR_APP = { status: "UNAUTHENTICATED", message: expect.stringContaining("App Check") };
const HEADER = "X-Firebase-AppCheck";

const keys = await generateKeyPair("RS256");
const weak = await generateKeyPair("ES256");
/** Publishes the keys, as Firebase does. */
const publisher = { isUp: true, origin: "" };
const publishing = createServer((_, response) => {
  if (!publisher.isUp) return void response.writeHead(503).end();
  response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify(jwks));
});
const jwks = {
  keys: [
    { ...(await exportJWK(keys.publicKey)), alg: "RS256", kid: "1" },
    { ...(await exportJWK(weak.publicKey)), alg: "ES256", kid: "2" },
  ],
};

async function settings() {
  await new Promise<void>((resolve) => publishing.listen(0, "127.0.0.1", resolve));
  publisher.origin = `http://127.0.0.1:${(publishing.address() as AddressInfo).port}`;
  return {
    APP_CHECK_JWKS_URL: `${publisher.origin}/v1/jwks`,
    APP_CHECK_ISSUER: `${publisher.origin}/123`,
    APP_CHECK_AUDIENCE: AUDIENCE,
  };
}

const server = setupServer(settings);
afterAll(() => publishing.close());

function sign(claims: JWTPayload = {}, header: Partial<JWTHeaderParameters> = {}, key = keys.privateKey) {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    iss: `${publisher.origin}/123`,
    aud: [AUDIENCE, "projects/own"],
    sub: "1:123:web:abc",
    iat: now,
    exp: now + 3600,
    ...claims,
  })
    .setProtectedHeader({ alg: "RS256", typ: "JWT", kid: "1", ...header })
    .sign(key);
}

async function callWith(token: string | null) {
  const { cookie } = await createSignedInUser(server.pool);
  const headers = { cookie, ...(token !== null && { [HEADER]: token }) };
  const path = "/functions/us-central1/createCheckoutSession";
  const response = await callAs(server, path, { data: checkoutOf(server) }, headers);
  return { status: response.status, error: (await response.json()).error };
}

test("while the keys cannot be fetched, no app is called wrong", async () => {
  publisher.isUp = false;
  expect(await callWith(await sign())).toMatchObject({ status: 503, error: { status: "UNAVAILABLE" } });
  publisher.isUp = true;
});

test("a call with a valid token goes through, one without does not", async () => {
  expect(await callWith(await sign())).toEqual({ status: 200 });
  expect(await callWith(null)).toEqual({ status: 401, error: NOT_OUR_APP });
  expect(await callWith("")).toEqual({ status: 401, error: NOT_OUR_APP });
});

test("a token that is not Firebase's for this project is refused", async () => {
  const now = Math.floor(Date.now() / 1000);
  const stranger = await generateKeyPair("RS256");
  const [header = "", payload = ""] = (await sign()).split(".");
  const wrong = {
    expired: await sign({ exp: now - 1 }),
    "without an end": await sign({ exp: undefined }),
    "another project's": await sign({ aud: ["projects/456"] }),
    "another issuer's": await sign({ iss: `${publisher.origin}/456` }),
    "no app's": await sign({ sub: undefined }),
    "another kind's": await sign({}, { typ: "at+jwt" }),
    "another algorithm's": await sign({}, { alg: "ES256", kid: "2" }, weak.privateKey),
    "a stranger's": await sign({}, {}, stranger.privateKey),
    unsigned: `${header}.${payload}.`,
    "no token": "x",
  };
  for (const [what, token] of Object.entries(wrong))
    expect([what, await callWith(token)]).toEqual([what, { status: 401, error: NOT_OUR_APP }]);
});

test("the form of the page needs none: a browser without JavaScript has no way to get one", async () => {
  const { cookie } = await createSignedInUser(server.pool);
  const sent = await postForm(server, "/subscription", { price: "price_csv_only_yearly" }, cookie);
  expect([sent.status, sent.headers.get("location")]).toEqual([303, expect.stringContaining("/checkout/")]);
});

test("other endpoints are as they were", async () => {
  const { cookie } = await createSignedInUser(server.pool);
  expect((await callAs(server, "/v1/accounts:update", {}, { cookie })).status).toBe(200);
});
