import { createRemoteJWKSet, type JWTPayload, jwtVerify } from "jose";
import type { TestServer } from "./server.ts";

/** The token of a signed-in browser. @throws when it gets none */
export async function fetchToken(server: TestServer, cookie: string): Promise<string> {
  const response = await fetch(`${server.origin}/api/token`, { headers: { cookie } });
  if (!response.ok) throw new Error(`/api/token answered with ${response.status}`);
  return (await response.json()).token;
}

/** Verifies a token with nothing but the address of our keys. @returns its claims @throws what jose throws */
export async function readToken(
  server: TestServer,
  token: string,
  audience = server.origin,
): Promise<JWTPayload> {
  const keys = createRemoteJWKSet(new URL("/.well-known/jwks.json", server.origin));
  const { payload } = await jwtVerify(token, keys, { issuer: server.origin, audience });
  return payload;
}

/** Calls a JSON endpoint as a program does. */
export function callAs(
  server: TestServer,
  path: string,
  json: unknown,
  headers: Record<string, string>,
): Promise<Response> {
  return fetch(server.origin + path, {
    method: "POST",
    headers: { origin: server.origin, "content-type": "application/json", ...headers },
    body: JSON.stringify(json),
  });
}
