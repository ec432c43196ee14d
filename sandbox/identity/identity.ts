import type { Pool } from "pg";
import { createSandboxSchema } from "../schema.ts";
import type { Face } from "./clients.ts";
import type { Call } from "./context.ts";
import { readKnobs } from "./control.ts";
import { identityEndpoints } from "./endpoints.ts";
import { ensureSigningKey } from "./providers/signing-keys.ts";
import { findRoute } from "./routes.ts";
import { tables } from "./schema.ts";

export interface IdentitySandbox {
  /** Answers any request whose path starts with /sandbox/identity. */
  handle(request: Request): Promise<Response>;
  /** Lets go of those whom a knob keeps waiting; from then on nobody waits. Call it before connections are drained. */
  close(): Promise<void>;
}

interface Options {
  /** State lives in its schema `sandbox_identity`. */
  pool: Pool;
  /** Where people's browsers find the site, and the only origin they are sent back to: `http://localhost:3000` */
  publicOrigin: string;
  /** Where the site's server finds the sandbox: `http://127.0.0.1:3000` */
  loopback: string;
  clients: Record<Face, { clientId: string; clientSecret: string }>;
  /** Never hears of an address. */
  log: (message: string) => void;
}

const prefix = "/sandbox/identity";

/**
 * A stand-in for Google and Facebook as places to sign in: see README.md. Safe to create again, and by several
 * processes at once; all show the same.
 */
export async function createIdentitySandbox(options: Options): Promise<IdentitySandbox> {
  const { pool, publicOrigin, loopback, log } = options;
  await createSandboxSchema(pool, "sandbox_identity", tables);
  await ensureSigningKey(pool);
  const endpoints = identityEndpoints(publicOrigin, loopback);
  const closing = new AbortController();

  async function handle(request: Request): Promise<Response> {
    const url = new URL(request.url);
    try {
      return await answer(request, url);
    } catch (error) {
      // By its name alone: what a database says of a row may hold an address.
      log(`Identity sandbox: ${url.pathname} failed: ${error instanceof Error ? error.name : typeof error}`);
      return new Response("Internal Server Error\n", { status: 500 });
    }
  }

  async function answer(request: Request, url: URL): Promise<Response> {
    const route = findRoute(url.pathname.slice(prefix.length));
    if (!route) return new Response("Not found\n", { status: 404 });
    if (!route.methods.includes(request.method)) {
      return new Response(null, { status: 405, headers: { allow: route.methods.join(", ") } });
    }
    const knobs = await readKnobs(pool);
    const call: Call = { ...options, request, url, knobs, endpoints, closing: closing.signal };
    const response = await route.answer(call);
    if (knobs.coop) response.headers.set("cross-origin-opener-policy", "same-origin");
    return response;
  }

  async function close(): Promise<void> {
    closing.abort();
  }

  return { handle, close };
}
