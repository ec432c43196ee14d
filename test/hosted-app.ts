import { randomUUID } from "node:crypto";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from "jose";

/** Overrides of the claims of a handoff token. */
export interface Claims extends JWTPayload {
  email?: string;
  email_verified?: unknown;
  name?: string;
  picture?: string;
}

/**
 * Opens a hosted app on its own origin, which publishes its keys and signs tokens.
 *
 * @param answer handles other requests
 */
export async function openHostedApp(
  answer: RequestListener = (_, response) => response.writeHead(404).end(),
) {
  const keyPairs = {
    ES256: await generateKeyPair("ES256"),
    RS256: await generateKeyPair("RS256"),
    EdDSA: await generateKeyPair("EdDSA"),
    PS256: await generateKeyPair("PS256"),
  };
  const keys = await Promise.all(
    Object.entries(keyPairs).map(async ([alg, { publicKey }]) => ({
      ...(await exportJWK(publicKey)),
      alg,
      kid: alg,
    })),
  );
  const state = { jwks: "up" as "up" | "down" | "silent", jwksAsked: 0 };
  const server = createServer((request, response) => {
    if (request.url !== "/jwks.json") return answer(request, response);
    state.jwksAsked++;
    if (state.jwks === "silent") return;
    if (state.jwks === "down") return void response.writeHead(500).end();
    response.writeHead(200, { "Content-Type": "application/json" }).end(JSON.stringify({ keys }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  return {
    origin,
    state,
    keys,
    env: { HOSTED_APP_URL: origin, HOSTED_APP_JWKS_URL: `${origin}/jwks.json` },
    /** Signs a token that hands a new user over to `audience`. */
    sign(audience: string, claims: Claims = {}, alg: keyof typeof keyPairs = "ES256", kid: string = alg) {
      const now = Math.floor(Date.now() / 1000);
      const payload = {
        iss: origin,
        aud: audience,
        sub: randomUUID(),
        jti: randomUUID(),
        iat: now,
        exp: now + 60,
        email: `${randomUUID()}@example.com`,
        email_verified: true,
        name: "Grace Hopper",
        ...claims,
      };
      return new SignJWT(payload).setProtectedHeader({ alg, kid }).sign(keyPairs[alg].privateKey);
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}
