import type { Plan, SandboxOptions } from "@ownwords/sandbox";
import { metadataOf, SPEC_CURRENCY, SPEC_PLANS } from "./billing/spec-plans.ts";
import type { Config } from "./config/config.server.ts";

export const SANDBOX_PLANS: readonly Plan[] = SPEC_PLANS.map((plan) => ({
  ...plan,
  currency: SPEC_CURRENCY,
  metadata: metadataOf(plan),
}));

type SandboxConfig = Pick<
  Config,
  "payments" | "mail" | "providers" | "publicOrigin" | "hosts" | "port" | "sandboxStripePort"
>;

export function sandboxOptions(config: SandboxConfig): Omit<SandboxOptions, "pool" | "ending" | "log"> {
  const { payments, mail, providers, publicOrigin, hosts, sandboxStripePort: port } = config;
  const { google, facebook } = providers;
  const loopback = loopbackOrigin(config);
  return {
    publicOrigin,
    loopback,
    ownHosts: hosts.flatMap((host) => (host && !EVERYWHERE.has(host) ? urlHost(host) : [])),
    ...(payments.mode === "sandbox" && {
      stripe: {
        secretKey: payments.secretKey,
        webhookSecret: payments.webhookSecret,
        webhookUrl: `${loopback}/webhooks/stripe`,
        port,
        plans: SANDBOX_PLANS,
      },
    }),
    clients: {
      ...(google.mode === "sandbox" && { google }),
      ...(facebook.mode === "sandbox" && { facebook }),
    },
    ...(mail.mode === "sandbox" && { mail: { port: 0 } }),
  };
}

const EVERYWHERE = new Set(["0.0.0.0", "::"]);

/** On loopback, unless it listens only on another address of this machine. */
function loopbackOrigin({ hosts, port }: SandboxConfig): string {
  const [host = "127.0.0.1"] = hosts;
  return `http://${EVERYWHERE.has(host) ? "127.0.0.1" : urlHost(host)}:${port}`;
}

function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}
