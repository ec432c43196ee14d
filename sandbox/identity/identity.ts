import type { SandboxOptions } from "../sandbox.ts";
import { createSandboxSchema, type SandboxSchema } from "../schema.ts";
import { readBody } from "../web.ts";
import { exchangeFacebookCode, showFacebookProfile } from "./facebook.ts";
import { describeGoogle, exchangeGoogleCode, listGoogleKeys } from "./google.ts";
import { handleControl, type Knobs, readKnobs } from "./knobs.ts";
import { drawPicture } from "./people.ts";
import { authorize, choose } from "./sign-in.ts";

type Options = Pick<SandboxOptions, "pool" | "publicOrigin" | "loopback" | "ending" | "log"> &
  Required<Pick<SandboxOptions, "clients" | "redirectPrefix">>;

const PREFIX = "/sandbox/identity";

/**
 * A stand-in for Google and Facebook as sign-in providers: see README.md. Several processes may open it on one
 * database, also at once; all show the same.
 */
export async function openIdentitySandbox(options: Options) {
  const { pool, publicOrigin, loopback, log } = options;
  await createSandboxSchema(pool, SCHEMA);
  const endpoints = identityEndpoints(publicOrigin, loopback);
  return { endpoints, handle };

  /** Answers any request whose path starts with /sandbox/identity. */
  async function handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    try {
      return await answer(request, url);
    } catch (error) {
      // Only the error's name: a database message about a row may contain an address.
      log(`Identity sandbox: ${url.pathname} failed: ${error instanceof Error ? error.name : typeof error}`);
      return new Response("Internal Server Error\n", { status: 500 });
    }
  }

  async function answer(request: Request, url: URL): Promise<Response> {
    const route = ROUTES.find(([path]) => PREFIX + path === url.pathname);
    if (!route) return new Response("Not found\n", { status: 404 });
    const [, methods, answerRoute] = route;
    if (!methods.includes(request.method))
      return new Response(null, { status: 405, headers: { allow: methods.join(", ") } });
    const knobs = await readKnobs(pool);
    const context: Context = { ...options, request, url, knobs, endpoints };
    const response = await answerRoute(context);
    if (knobs.coop) response.headers.set("cross-origin-opener-policy", "same-origin");
    return response;
  }
}

/** A provider that is stood in for; also the first part of its paths. */
export type Provider = "google" | "facebook";

export interface OAuthClient {
  clientId: string;
  clientSecret: string;
}

/**
 * The URLs at which the product finds the two providers.
 *
 * @param publicOrigin for the browser: `https://site.example`
 * @param loopback for the server, which must not pass the proxy in front of the public origin: `http://127.0.0.1:3000`
 */
export function identityEndpoints(publicOrigin: string, loopback: string) {
  const google = "/sandbox/identity/google";
  const facebook = "/sandbox/identity/facebook";
  return {
    google: {
      issuer: publicOrigin + google,
      authorizationEndpoint: `${publicOrigin}${google}/authorize`,
      tokenEndpoint: `${loopback}${google}/token`,
      jwksUri: `${loopback}${google}/jwks`,
    },
    facebook: {
      issuer: publicOrigin + facebook,
      authorizationEndpoint: `${publicOrigin}${facebook}/dialog/oauth`,
      tokenEndpoint: `${loopback}${facebook}/oauth/access_token`,
      profileEndpoint: `${loopback}${facebook}/me`,
    },
  };
}

export interface Context extends Options {
  request: Request;
  url: URL;
  knobs: Knobs;
  endpoints: ReturnType<typeof identityEndpoints>;
}

/** The fields of a form; none when the body is not a form or is more than 64 KiB. */
export async function readForm(request: Request): Promise<URLSearchParams> {
  const type = request.headers.get("content-type") ?? "";
  const isForm = /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type);
  return new URLSearchParams(isForm ? ((await readBody(request)) ?? "") : "");
}

/** Whether a parameter is repeated (RFC 6749 §3.1) or holds a NUL, which PostgreSQL cannot store. */
export function isMalformed(params: URLSearchParams): boolean {
  return (
    new Set(params.keys()).size !== params.size || [...params.values()].some((value) => value.includes("\0"))
  );
}

export const ROUTES: [path: string, methods: string[], answer: (context: Context) => Promise<Response>][] = [
  ["/google/.well-known/openid-configuration", ["GET"], describeGoogle],
  ["/google/authorize", ["GET"], (context) => authorize("google", context)],
  ["/google/choose", ["POST"], (context) => choose("google", context)],
  ["/google/token", ["POST"], exchangeGoogleCode],
  ["/google/jwks", ["GET"], listGoogleKeys],

  ["/facebook/dialog/oauth", ["GET"], (context) => authorize("facebook", context)],
  ["/facebook/choose", ["POST"], (context) => choose("facebook", context)],
  ["/facebook/oauth/access_token", ["POST"], exchangeFacebookCode],
  ["/facebook/me", ["GET"], showFacebookProfile],

  ["/picture.svg", ["GET"], drawPicture],
  ["/control", ["GET", "POST"], handleControl],
];

const SCHEMA: SandboxSchema = {
  name: "sandbox_identity",
  version: 5,
  tables: `
-- The highest number signs.
CREATE TABLE sandbox_identity.signing_keys (
  number integer PRIMARY KEY,
  private_jwk jsonb NOT NULL
);

-- Requests of browsers that are shown the account chooser, codes, and Facebook's access tokens: see kept.ts.
CREATE TABLE sandbox_identity.kept (
  id text PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('request', 'code', 'token')),
  provider text NOT NULL CHECK (provider IN ('google', 'facebook')),
  value jsonb NOT NULL,
  expires_at timestamptz NOT NULL
);

-- The knobs that were set: one row, shared by every process.
CREATE TABLE sandbox_identity.control (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  knobs jsonb NOT NULL DEFAULT '{}'
);
INSERT INTO sandbox_identity.control DEFAULT VALUES;
`,
};
