import type { Config } from "../config/config.server.ts";
import { isLiveKey } from "../config/environment.server.ts";
import { startWarnings } from "../start-warnings.server.ts";
import type { Finding } from "./finding.ts";

/** The settings as the site reads them: what runs, what is off, and what one would regret not to have set. */
export function checkSettings(config: Config): Omit<Finding, "check">[] {
  const { isProduction, publicOrigin, payments, mail } = config;
  const mode = isProduction ? "production" : "development, with sandboxes for what has no keys";
  const found: Omit<Finding, "check">[] = [
    {
      level: "ok",
      says: `${mode}; ${publicOrigin}; payments: ${paymentsInWords(config)}; mail: ${mail.mode === "smtp" ? "by SMTP" : mail.mode}; Node ${process.versions.node}`,
    },
  ];
  if (payments.mode === "off")
    found.push({
      level: "warn",
      says: `payments are off, so nobody can buy a plan: ${payments.reason}`,
      advice: "set both, see docs/stripe.md",
    });
  if (mail.mode === "off")
    found.push({
      level: "fail",
      says: `mail is off, so nobody can confirm an address or reset a password: ${mail.reason}`,
      advice: "set SMTP_URL and MAIL_FROM; what waits is sent then",
    });
  if (config.isSandboxPublic)
    found.push({
      level: "warn",
      says: "the sandboxes are open to everybody: anyone may sign in as anyone and read all mail",
      advice: "set NODE_ENV=production for a site with users",
    });
  for (const warning of startWarnings(config))
    found.push({
      level: "warn",
      says: warning,
      advice: "see .env.example, and start the site again",
    });
  return found;
}

function paymentsInWords({ payments }: Pick<Config, "payments">): string {
  if (payments.mode !== "stripe") return payments.mode;
  return isLiveKey(payments.secretKey) ? "Stripe, live" : "Stripe, test mode";
}
