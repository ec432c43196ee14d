import { connectProviders, type ProviderEndpoints } from "./auth/providers/connect.server.ts";
import { connectPayments } from "./billing/stripe.server.ts";
import type { Config } from "./config/config.server.ts";
import { connectHostedApp } from "./hosted-app/hosted-app.server.ts";
import type { Log } from "./log/log.server.ts";
import { connectMail } from "./mail/mail.server.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";
import { connectAppCheck } from "./tokens/app-check.server.ts";

/** `null`: the real service. */
export interface SandboxedServices {
  stripeUrl: string | null;
  smtpUrl: string | null;
  identityEndpoints: ProviderEndpoints | null;
}

/** Each as far as there are settings for it. @param sandbox `null` in production */
export function connectServices(
  config: Config,
  { log, sandbox, telemetry }: { log: Log; sandbox: SandboxedServices | null; telemetry: Telemetry },
) {
  const sender = { name: config.site.product, publicOrigin: config.publicOrigin };
  return {
    providers: connectProviders(config.providers, sandbox?.identityEndpoints ?? null),
    payments: connectPayments(config.payments, sandbox?.stripeUrl ?? null, telemetry),
    mailer: connectMail(config.mail, sender, sandbox?.smtpUrl ?? null, telemetry),
    hostedApp: config.handoff && connectHostedApp(config.handoff, log),
    appCheck: config.appCheck && connectAppCheck(config.appCheck, log),
  };
}
