import type { Pool } from "pg";
import {
  type identityEndpoints,
  type OAuthClient,
  openIdentitySandbox,
  type Provider,
} from "./identity/identity.ts";
import { openMailbox } from "./mailbox/mailbox.ts";
import type { Plan } from "./stripe/catalogue.ts";
import { openOwnPort, openStripeSandbox } from "./stripe/stripe.ts";
import { orUnavailable } from "./unavailable.ts";

export type { Plan } from "./stripe/catalogue.ts";

/** Sandboxes for the outside services without keys. */
export interface Sandboxes {
  /** Stripe's pages below this process's own address; `null` where the real service is used. */
  stripeUrl: string | null;
  /** Stripe's API on its own port, for the SDK's options: `http://127.0.0.1:3001` */
  stripeOrigin: string | null;
  smtpUrl: string | null;
  identityEndpoints: ReturnType<typeof identityEndpoints> | null;
  /** Whether the path, with or without a query, belongs to one of them. */
  answers(path: string): boolean;
  /** Answers a request for which `answers` is true. */
  handle(request: Request): Promise<Response>;
  /** Starts work without a request, such as webhooks. Call it once the site answers. */
  start(): void;
  /** Stops that work and receiving mail; resolves when running work has ended. Call it before the pool ends. */
  close(): Promise<void>;
}

/** An omitted service has no sandbox. */
export interface SandboxOptions {
  /** Each keeps its state in a schema of its own. */
  pool: Pool;
  /** Where browsers find the pages below /sandbox: `http://localhost:3000` */
  publicOrigin: string;
  /** Where servers on this machine find the pages: `http://127.0.0.1:3000` */
  loopback: string;
  /** Hosts besides loopback and `publicOrigin` at which they answer. */
  ownHosts?: readonly string[];
  stripe?: {
    secretKey: string;
    webhookSecret: string;
    /** The receiver of events. */
    webhookUrl: string;
    /** The API's port; 0, or a port that is taken: any. */
    port: number;
    /** The plans on sale from the start. */
    plans: readonly Plan[];
  };
  /** The product's client at each provider in the sandbox. */
  clients?: Partial<Record<Provider, OAuthClient>>;
  /** The prefix of every redirect_uri; `<publicOrigin>/auth/callback/` by default. */
  redirectPrefix?: string;
  /** The SMTP port; 0: any. */
  mail?: { port: number };
  /** Aborted when the process is ending: no request is kept waiting from then on. */
  ending: AbortSignal;
  /** Never receives an address. */
  log: (message: string) => void;
}

/** Opens the sandboxes. Never in production: they allow signing in as any user. */
export async function openSandboxes(options: SandboxOptions): Promise<Sandboxes> {
  const { pool, publicOrigin, loopback, ownHosts = [], clients = {}, ending, log } = options;
  const { redirectPrefix = `${publicOrigin}/auth/callback/` } = options;
  const stripe =
    options.stripe && (await openStripeSandbox({ pool, publicOrigin, ...options.stripe, ending, log }));
  const identity =
    Object.keys(clients).length > 0
      ? await openIdentitySandbox({ pool, publicOrigin, loopback, redirectPrefix, clients, ending, log })
      : null;
  // Last, since these hold sockets once they are open.
  const mailbox = options.mail && (await openMailbox({ pool, log, port: options.mail.port }));
  const stripePort =
    stripe && (await openOwnPort({ port: options.stripe?.port ?? 0, handleApi: stripe.handleApi, log }));
  const mounted = [
    { path: "/sandbox/stripe", sandbox: stripe },
    { path: "/sandbox/identity", sandbox: identity },
    { path: "/sandbox/mail", sandbox: mailbox },
  ];
  const hosts = [new URL(publicOrigin).hostname, ...ownHosts];
  const find = (asked: string) => mounted.find(({ path }) => asked.startsWith(path))?.sandbox;

  return {
    stripeUrl: stripe ? `${loopback}/sandbox/stripe` : null,
    stripeOrigin: stripePort?.origin ?? null,
    smtpUrl: mailbox?.smtpUrl ?? null,
    identityEndpoints: identity?.endpoints ?? null,
    answers: (path) => Boolean(find(path)),
    async handle(request) {
      const refused = refuseForeign(request, hosts);
      if (refused) return refused;
      const sandbox = find(new URL(request.url).pathname);
      return sandbox
        ? orUnavailable(() => sandbox.handle(request))
        : new Response("Not found\n", { status: 404 });
    },
    start: () => stripe?.start(),
    async close() {
      await Promise.all([stripePort?.close(), stripe?.close(), mailbox?.close()]);
    },
  };
}

const LOOPBACK = /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses requests of foreign pages, because the sandboxes allow signing in as any user: those to a foreign host, as from a page
 * whose name resolves to this machine (DNS rebinding), and writes from other sites. `null`: accepted. Programs such as
 * Stripe's SDK send no browser headers and may write.
 *
 * @param ownHosts hostnames besides loopback
 */
export function refuseForeign(request: Request, ownHosts: readonly string[]): Response | null {
  const { method, headers } = request;
  const isOwn = (url: string) => {
    const hostname = URL.parse(url)?.hostname;
    return hostname !== undefined && (LOOPBACK.test(hostname) || ownHosts.includes(hostname));
  };
  if (!isOwn(`http://${headers.get("host") ?? new URL(request.url).host}`))
    return refusal(421, "The sandboxes answer at localhost and at the host of PUBLIC_ORIGIN only.");
  if (SAFE_METHODS.has(method)) return null;
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  // A page without a referrer sends "null"; then Sec-Fetch-Site says where it is from.
  const isOwnOrigin = origin === null || (origin === "null" ? site !== null : isOwn(origin));
  if (isOwnOrigin && (site === null || /^(same-origin|same-site|none)$/.test(site))) return null;
  return refusal(403, "Pages of other sites may not write to the sandboxes.");
}

function refusal(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
