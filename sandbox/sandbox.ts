import type { Pool } from "pg";
import {
  type IdentitySandbox,
  type OAuthClient,
  openIdentitySandbox,
  type Provider,
} from "./identity/identity.ts";
import { openMailbox } from "./mailbox/mailbox.ts";
import type { Plan } from "./stripe/catalogue.ts";
import { openOwnPort, openStripeSandbox } from "./stripe/stripe.ts";

export type { Plan } from "./stripe/catalogue.ts";

/** The stand-ins for the outside services that have no keys. */
export interface Sandboxes {
  /** Stripe below this process's own address; `null` where the real service is used. */
  stripeUrl: string | null;
  /** Stripe's API on a port of its own, for the SDK's options: `http://127.0.0.1:3001` */
  stripeOrigin: string | null;
  smtpUrl: string | null;
  identityEndpoints: IdentitySandbox["endpoints"] | null;
  /** Whether the path (its query may follow) belongs to one of them. */
  answers(path: string): boolean;
  /** Answers a request for which `answers` is true. */
  handle(request: Request): Promise<Response>;
  /** Starts what happens without a request, such as webhooks. Call it once the site answers. */
  start(): void;
  /** Stops that, and takes no more mail; resolves when what is in progress has ended. Call it before the pool ends. */
  close(): Promise<void>;
}

/** A service that is left out is not stood in for. */
export interface SandboxOptions {
  /** Each keeps its state in a schema of its own. */
  pool: Pool;
  /** Where browsers find the pages below /sandbox: `http://localhost:3000` */
  publicOrigin: string;
  /** Where servers on this machine find them: `http://127.0.0.1:3000` */
  loopback: string;
  /** Hosts besides loopback and `publicOrigin` at which they answer. */
  ownHosts?: readonly string[];
  stripe?: {
    secretKey: string;
    webhookSecret: string;
    /** Where events are sent. */
    webhookUrl: string;
    /** Of the API alone; 0, or one that is taken: any. */
    port: number;
    /** What is on sale from the start. */
    plans: readonly Plan[];
  };
  /** How the product is registered with each provider that is stood in for. */
  clients?: Partial<Record<Provider, OAuthClient>>;
  /** What every redirect_uri starts with; `<publicOrigin>/auth/callback/` if left out. */
  redirectPrefix?: string;
  /** The port of SMTP; 0: any. */
  mail?: { port: number };
  /** Aborted when the process is ending: no request is kept waiting from then on. */
  ending: AbortSignal;
  /** Is never given an address. */
  log: (message: string) => void;
}

/** Opens the stand-ins. Never in production: they let anybody be anybody. */
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
      return sandbox ? sandbox.handle(request) : new Response("Not found\n", { status: 404 });
    },
    start: () => stripe?.start(),
    async close() {
      await Promise.all([stripePort?.close(), stripe?.close(), mailbox?.close()]);
    },
  };
}

const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Why a request is not for the sandboxes, where anybody may be anybody: it names a host that is not theirs, as a page does
 * whose name was made to lead to this machine (DNS rebinding), or another site's page wants to write. `null`: it is. Programs
 * such as Stripe's SDK send none of a browser's headers and may write.
 *
 * @param ownHosts hostnames beside those of loopback
 */
export function refuseForeign(request: Request, ownHosts: readonly string[]): Response | null {
  const { method, headers } = request;
  const isOwn = (url: string) => {
    const hostname = URL.parse(url)?.hostname;
    return hostname !== undefined && (isLoopback(hostname) || ownHosts.includes(hostname));
  };
  if (!isOwn(`http://${headers.get("host") ?? new URL(request.url).host}`))
    return refusal(421, "The sandboxes answer at localhost and at the host of PUBLIC_ORIGIN only.");
  if (SAFE_METHODS.has(method)) return null;
  const site = headers.get("sec-fetch-site");
  const origin = headers.get("origin");
  // A page without a referrer says "null", and the browser then says whose it is.
  const isOwnOrigin = origin === null || (origin === "null" ? site !== null : isOwn(origin));
  if (isOwnOrigin && (site === null || /^(same-origin|same-site|none)$/.test(site))) return null;
  return refusal(403, "Pages of other sites may not write to the sandboxes.");
}

/** Whether a URL's hostname is that of this machine alone. */
function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(hostname);
}

function refusal(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { "Content-Type": "text/plain; charset=utf-8" } });
}
