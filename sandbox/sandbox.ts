import type { Pool } from "pg";
import type { Config } from "../app/config/config.server.ts";
import type { Log } from "../app/log/log.server.ts";
import { type IdentitySandbox, openIdentitySandbox } from "./identity/identity.ts";
import { type Mailbox, openMailbox } from "./mailbox/mailbox.ts";
import { refuseForeign } from "./own-requests.ts";
import { seedPromoCodes } from "./promo-codes.ts";
import { type OwnPort, openOwnPort } from "./stripe/api/own-port.ts";
import { openStripeSandbox, type StripeSandbox } from "./stripe/stripe.ts";

/** The stand-ins for the outside services that have no keys. */
export interface Sandboxes {
  /** Where they are found; `null` where the real service is used. */
  stripeUrl: string | null;
  /** Stripe's API on a port of its own, for whoever uses the SDK's own options: `http://127.0.0.1:3001` */
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

interface Options {
  config: Pick<
    Config,
    "payments" | "mail" | "providers" | "publicOrigin" | "hosts" | "port" | "sandboxStripePort"
  >;
  /** Each keeps its state in a schema of its own. */
  pool: Pool;
  log: Log;
  /** Aborted when the process is ending: no request is kept waiting from then on. */
  ending: AbortSignal;
}

/** Opens a stand-in for each outside service the config has no keys for. Never in production. */
export async function openSandboxes(options: Options): Promise<Sandboxes> {
  const loopback = loopbackOrigin(options.config);
  const stripe = await openStripe(options, loopback);
  const identity = await openIdentity(options, loopback);
  // Last, since they hold something once they are open: a socket.
  const mailbox = await openMail(options);
  const stripePort = stripe && (await openStripePort(options, stripe));
  const mounted = [
    { path: "/sandbox/stripe", sandbox: stripe },
    { path: "/sandbox/identity", sandbox: identity },
    { path: "/sandbox/mail", sandbox: mailbox },
  ];
  const ownHosts = [new URL(options.config.publicOrigin).hostname, ...namedHosts(options.config)];
  const find = (asked: string) => mounted.find(({ path }) => asked.startsWith(path))?.sandbox;

  return {
    stripeUrl: stripe ? `${loopback}/sandbox/stripe` : null,
    stripeOrigin: stripePort?.origin ?? null,
    smtpUrl: mailbox?.smtpUrl ?? null,
    identityEndpoints: identity?.endpoints ?? null,
    answers: (path) => Boolean(find(path)),
    async handle(request) {
      const refused = refuseForeign(request, ownHosts);
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

async function openStripe(
  { config, pool, log, ending }: Options,
  loopback: string,
): Promise<StripeSandbox | null> {
  const { payments, publicOrigin } = config;
  if (payments.mode !== "sandbox") return null;
  await seedPromoCodes(pool);
  const { secretKey, webhookSecret } = payments;
  return openStripeSandbox({
    pool,
    publicOrigin,
    webhookUrl: `${loopback}/webhooks/stripe`,
    webhookSecret,
    secretKey,
    ending,
    log: (message) => log.debug(message),
  });
}

function openStripePort({ config, log }: Options, { handleApi }: StripeSandbox): Promise<OwnPort> {
  return openOwnPort({ port: config.sandboxStripePort, handleApi, log: (message) => log.debug(message) });
}

async function openIdentity(
  { config, pool, log, ending }: Options,
  loopback: string,
): Promise<IdentitySandbox | null> {
  const { google, facebook } = config.providers;
  const clients = {
    ...(google.mode === "sandbox" && { google }),
    ...(facebook.mode === "sandbox" && { facebook }),
  };
  if (Object.keys(clients).length === 0) return null;
  return openIdentitySandbox({
    pool,
    publicOrigin: config.publicOrigin,
    loopback,
    clients,
    ending,
    log: (message) => log.debug(message),
  });
}

async function openMail({ config, pool, log }: Options): Promise<Mailbox | null> {
  if (config.mail.mode !== "sandbox") return null;
  return openMailbox({ pool, log: (message) => log.debug(message) });
}

/** The addresses of this machine that the site is told to listen on, as they stand in a URL. */
function namedHosts({ hosts }: Pick<Options["config"], "hosts">): string[] {
  return hosts.flatMap((host) => (host && !/^(0\.0\.0\.0|::)$/.test(host) ? urlHost(host) : []));
}

function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

/** Where this process reaches itself: on loopback, unless it listens only on another address of this machine. */
function loopbackOrigin({ hosts, port }: Options["config"]): string {
  const [host = "127.0.0.1"] = hosts;
  if (host === "0.0.0.0" || host === "::") return `http://127.0.0.1:${port}`;
  return `http://${urlHost(host)}:${port}`;
}
