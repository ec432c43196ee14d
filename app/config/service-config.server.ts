import type { Variables } from "./environment.server.ts";

export type ProviderConfig =
  | { mode: "real" | "sandbox"; clientId: string; clientSecret: string }
  | { mode: "off"; reason: string };

export function providerFrom(
  provider: "google" | "facebook",
  vars: Variables,
  isProduction: boolean,
): ProviderConfig {
  const prefix = ({ google: "GOOGLE", facebook: "FACEBOOK" } as const)[provider];
  const clientId = vars[`${prefix}_CLIENT_ID`];
  const clientSecret = vars[`${prefix}_CLIENT_SECRET`];
  if (clientId && clientSecret) return { mode: "real", clientId, clientSecret };
  if (isProduction)
    return { mode: "off", reason: `${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET are not set` };
  return { mode: "sandbox", clientId: `sandbox-${provider}`, clientSecret: `sandbox-${provider}-secret` };
}

export type PaymentsConfig =
  | { mode: "stripe" | "sandbox"; secretKey: string; webhookSecret: string }
  | { mode: "off"; reason: string };

export function paymentsFrom(vars: Variables, isProduction: boolean): PaymentsConfig {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = vars;
  if (secretKey && webhookSecret) return { mode: "stripe", secretKey, webhookSecret };
  if (isProduction) return { mode: "off", reason: "STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are not set" };
  return {
    mode: "sandbox",
    secretKey: "sk_test_sandbox",
    webhookSecret: "whsec_sandbox_only_never_in_production",
  };
}

export type MailConfig =
  | { mode: "smtp"; url: string; from: string }
  | { mode: "sandbox"; from: string }
  | { mode: "off"; reason: string };

/** @param placeholder the sender's address in the sandbox */
export function mailFrom(vars: Variables, isProduction: boolean, placeholder: string): MailConfig {
  const ownHost = new URL(vars.PUBLIC_ORIGIN ?? "http://localhost").hostname;
  const from = vars.MAIL_FROM ?? vars.SUPPORT_EMAIL ?? (isProduction ? `no-reply@${ownHost}` : placeholder);
  if (vars.SMTP_URL) return { mode: "smtp", url: vars.SMTP_URL, from };
  return isProduction ? { mode: "off", reason: "SMTP_URL is not set" } : { mode: "sandbox", from };
}

export type HandoffConfig = NonNullable<ReturnType<typeof handoffFrom>>;

/** Of the hosted app, which hands its signed-in users over to us; `null`: there is none. */
export function handoffFrom(vars: Variables, publicOrigin: string) {
  const { HOSTED_APP_JWKS_URL: jwksUrl, HOSTED_APP_URL: url } = vars;
  if (!jwksUrl || !url) return null;
  const { origin } = new URL(url);
  return {
    jwksUrl,
    issuer: vars.HOSTED_APP_ISSUER ?? origin,
    audience: vars.HOSTED_APP_AUDIENCE ?? publicOrigin,
    /** Of the page that posts the handoff. */
    origin,
    loginUrl: `${url.replace(/\/$/, "")}/login`,
  };
}

export type AppCheckConfig = NonNullable<ReturnType<typeof appCheckFrom>>;

/** `null`: callable functions take calls from any app. */
export function appCheckFrom(vars: Variables) {
  const { APP_CHECK_JWKS_URL: jwksUrl, APP_CHECK_ISSUER: issuer } = vars;
  if (!jwksUrl || !issuer) return null;
  return { jwksUrl, issuer, audience: vars.APP_CHECK_AUDIENCE ?? `projects/${projectIdFrom(vars)}` };
}

/** By default the name as an identifier: "Own Wörter" becomes own-worter. */
export function projectIdFrom({ PROJECT_ID, PRODUCT_NAME }: Variables): string {
  const withoutAccents = PRODUCT_NAME.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return PROJECT_ID ?? (withoutAccents.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "site");
}
