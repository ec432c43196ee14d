import type { Pool } from "pg";
import { createSandboxSchema } from "../schema.ts";
import type { Context } from "./context.ts";
import { identityEndpoints, type OAuthClient, type Provider } from "./endpoints.ts";
import { readKnobs } from "./knobs.ts";
import { ensureSigningKey } from "./providers/signing-keys.ts";
import { findRoute } from "./routes.ts";
import { SCHEMA } from "./schema.ts";

export interface IdentitySandbox {
  /** Where the product finds the providers. */
  endpoints: ReturnType<typeof identityEndpoints>;
  /** Answers any request whose path starts with /sandbox/identity. */
  handle(request: Request): Promise<Response>;
}

interface Options {
  /** State is kept in its schema `sandbox_identity`. */
  pool: Pool;
  /** Where browsers find the pages: `http://localhost:3000` */
  publicOrigin: string;
  /** What every address starts with that people are redirected to: `http://localhost:3000/auth/callback/` */
  redirectPrefix: string;
  /** Where the site's server finds the sandbox: `http://127.0.0.1:3000` */
  loopback: string;
  /** How the product is registered with each provider; one without a client signs nobody in. */
  clients: Partial<Record<Provider, OAuthClient>>;
  /** Aborted when the process is ending: requests that a knob keeps waiting are then answered. */
  ending: AbortSignal;
  /** Is never given an address. */
  log: (message: string) => void;
}

const PREFIX = "/sandbox/identity";

/**
 * A stand-in for Google and Facebook as sign-in providers: see README.md. Several processes may open it on one
 * database, also at once; all show the same.
 */
export async function openIdentitySandbox(options: Options): Promise<IdentitySandbox> {
  const { pool, publicOrigin, loopback, log } = options;
  await createSandboxSchema(pool, SCHEMA);
  await ensureSigningKey(pool);
  const endpoints = identityEndpoints(publicOrigin, loopback);
  return { endpoints, handle };

  async function handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    try {
      return await answer(request, url);
    } catch (error) {
      // By its name alone: a database's message about a row may contain an address.
      log(`Identity sandbox: ${url.pathname} failed: ${error instanceof Error ? error.name : typeof error}`);
      return new Response("Internal Server Error\n", { status: 500 });
    }
  }

  async function answer(request: Request, url: URL): Promise<Response> {
    const route = findRoute(url.pathname.slice(PREFIX.length));
    if (!route) return new Response("Not found\n", { status: 404 });
    if (!route.methods.includes(request.method)) {
      return new Response(null, { status: 405, headers: { allow: route.methods.join(", ") } });
    }
    const knobs = await readKnobs(pool);
    const context: Context = { ...options, request, url, knobs, endpoints };
    const response = await route.answer(context);
    if (knobs.coop) response.headers.set("cross-origin-opener-policy", "same-origin");
    return response;
  }
}
