import type { Pool } from "pg";
import type { OAuthClient, Provider } from "./identity/endpoints.ts";
import { type IdentitySandbox, openIdentitySandbox } from "./identity/identity.ts";
import { openMailbox } from "./mailbox/mailbox.ts";
import { refuseForeign } from "./own-requests.ts";
import { openOwnPort } from "./stripe/api/own-port.ts";
import type { Plan } from "./stripe/plans.ts";
import { openStripeSandbox } from "./stripe/stripe.ts";

export type { Plan } from "./stripe/plans.ts";

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
