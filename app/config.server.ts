import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { z } from "zod";
import type { Provider } from "./account/providers/providers.ts";
import { environment, type Variables } from "./environment.server.ts";

/** Raised at boot for a setting that is missing or malformed; its message names every such variable. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** The environment of this process, with what a .env file in the working folder adds to it. */
export function readEnvironment(): NodeJS.ProcessEnv {
  if (existsSync(".env")) process.loadEnvFile();
  return process.env;
}

/**
 * What is drawn into the pictures when they are built. Nothing else is read, and nothing made: a build has no data
 * folder and no secrets.
 *
 * @throws ConfigError naming every variable that is malformed
 */
export function readBrand(env: NodeJS.ProcessEnv): { product: string; tagline: string } {
  const { PRODUCT_NAME: product, TAGLINE: tagline } = parseOrThrow(
    environment.pick({ PRODUCT_NAME: true, TAGLINE: true }),
    env,
  );
  return { product, tagline };
}

export type Config = ReturnType<typeof readConfig>;

/**
 * The settings of this process, read once and typed.
 *
 * @throws ConfigError naming every variable that is missing or malformed. In production a missing secret or
 *   public origin refuses to boot; missing payment keys only switch payments off (see `payments`).
 */
export function readConfig(env: NodeJS.ProcessEnv) {
  const vars = parseOrThrow(environment, env);
  const isProduction = vars.NODE_ENV === "production";
  const dataDir = resolve(vars.DATA_DIR);
  const publicOrigin =
    vars.PUBLIC_ORIGIN ?? (isProduction ? missing("PUBLIC_ORIGIN") : `http://localhost:${vars.PORT}`);

  return {
    isProduction,
    port: vars.PORT,
    host: vars.HOST,
    publicOrigin,
    /** Whose X-Forwarded-For is believed. */
    trustedProxies: vars.TRUSTED_PROXIES,
    dataDir,
    logLevel: vars.LOG_LEVEL,
    /** `null`: start the embedded PostgreSQL in `dataDir`. */
    databaseUrl: vars.DATABASE_URL ?? null,
    databasePoolSize: vars.DATABASE_POOL_SIZE,
    databaseTimeoutSeconds: vars.DATABASE_TIMEOUT_SECONDS,
    authSecret: vars.AUTH_SECRET ?? (isProduction ? missing("AUTH_SECRET") : keptSecret(dataDir)),
    /** The spec's admin allowlist of one entry (spec §6), in lower case. */
    adminEmail: vars.ADMIN_EMAIL.toLowerCase(),
    providers: {
      google: providerFrom("google", vars, isProduction),
      facebook: providerFrom("facebook", vars, isProduction),
    },
    payments: paymentsFrom(vars, isProduction),
    /** What the site sells in: ISO 4217 in lower case. Prices in another are not on sale. */
    currency: vars.CURRENCY,
    mail: mailFrom(vars, isProduction),
    waitlistWidget: waitlistWidgetFrom(vars),
    /** For whom our tokens are meant: the hosted app's origin, or our own while there is no hosted app. */
    tokenAudience: originOf(vars.HOSTED_APP_URL) ?? publicOrigin,
    /** Told of whoever signs in and out (spec §7). `null`: nobody is. */
    tokenSyncUrl: privateUrl(isProduction, vars, "AUTH_TOKEN_SYNC_URL"),
    handoff: handoffFrom(vars, publicOrigin, isProduction),
    /** Whose scripts may call our JSON endpoints, without cookies. */
    corsOrigins: vars.CORS_ORIGINS,
    /** Hosts on which people may sign in (spec §7, GET /v1/projects). */
    authorizedDomains: authorizedDomainsFrom(vars, publicOrigin, isProduction),
    projectId: vars.PROJECT_ID ?? slugOf(vars.PRODUCT_NAME),
    site: {
      origin: publicOrigin,
      product: vars.PRODUCT_NAME,
      tagline: vars.TAGLINE,
      supportEmail: vars.SUPPORT_EMAIL,
      communityUrl: vars.COMMUNITY_URL,
      microblogUrl: vars.MICROBLOG_URL,
      codeHostUrl: vars.CODE_HOST_URL,
      storeUrl: vars.STORE_URL,
      hostedAppUrl: hostedAppFrom(vars),
    },
  };
}

function parseOrThrow<T extends z.ZodType>(type: T, env: NodeJS.ProcessEnv): z.infer<T> {
  const parsed = type.safeParse(env);
  if (parsed.success) return parsed.data;
  throw new ConfigError(
    parsed.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`).join("\n"),
  );
}

export type ProviderConfig =
  | { mode: "real" | "sandbox"; clientId: string; clientSecret: string }
  | { mode: "off"; reason: string };

function providerFrom(provider: Provider, vars: Variables, isProduction: boolean): ProviderConfig {
  const prefix = ({ google: "GOOGLE", facebook: "FACEBOOK" } as const)[provider];
  const clientId = vars[`${prefix}_CLIENT_ID`];
  const clientSecret = vars[`${prefix}_CLIENT_SECRET`];
  if (clientId && clientSecret) return { mode: "real", clientId, clientSecret };
  if (clientId) return missing(`${prefix}_CLIENT_SECRET`);
  if (clientSecret) return missing(`${prefix}_CLIENT_ID`);
  if (isProduction) {
    return { mode: "off", reason: `${prefix}_CLIENT_ID and ${prefix}_CLIENT_SECRET are not set` };
  }
  return { mode: "sandbox", clientId: `sandbox-${provider}`, clientSecret: `sandbox-${provider}-secret` };
}

export type PaymentsConfig =
  | { mode: "stripe"; secretKey: string; webhookSecret: string }
  | { mode: "sandbox"; secretKey: string; webhookSecret: string }
  | { mode: "off"; reason: string };

function paymentsFrom(vars: Variables, isProduction: boolean): PaymentsConfig {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecret } = vars;
  // Outside production anybody may be anybody, and read everybody's mail: that is what the sandboxes are for.
  if (!isProduction && /^[rs]k_live_/.test(secretKey ?? ""))
    throw new ConfigError("STRIPE_SECRET_KEY: live keys need NODE_ENV=production");
  if (secretKey && webhookSecret) return { mode: "stripe", secretKey, webhookSecret };
  // One key without the other would take money and never hear of it, so half a set is an error everywhere.
  if (secretKey) return missing("STRIPE_WEBHOOK_SECRET");
  if (webhookSecret) return missing("STRIPE_SECRET_KEY");
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

function mailFrom(vars: Variables, isProduction: boolean): MailConfig {
  const from = vars.MAIL_FROM ?? vars.SUPPORT_EMAIL;
  if (vars.SMTP_URL) return { mode: "smtp", url: vars.SMTP_URL, from };
  return isProduction ? { mode: "off", reason: "SMTP_URL is not set" } : { mode: "sandbox", from };
}

/** Where signing in happens when it does not happen here (spec §1, the first reading). `null`: here. */
function hostedAppFrom(vars: Variables): string | null {
  if (vars.SIGN_IN === "local") return null;
  return (vars.HOSTED_APP_URL ?? missing("HOSTED_APP_URL")).replace(/\/$/, "");
}

/** A hosted app that hands its users over to us. */
export interface HandoffConfig {
  jwksUrl: string;
  issuer: string;
  audience: string;
  /** Where its page that hands over is. */
  origin: string;
  loginUrl: string;
}

/** `null`: nobody is handed over. */
function handoffFrom(vars: Variables, publicOrigin: string, isProduction: boolean): HandoffConfig | null {
  const jwksUrl = privateUrl(isProduction, vars, "HOSTED_APP_JWKS_URL");
  if (!jwksUrl) return null;
  const url = vars.HOSTED_APP_URL ?? missing("HOSTED_APP_URL");
  const { origin } = new URL(url);
  return {
    jwksUrl,
    issuer: vars.HOSTED_APP_ISSUER ?? origin,
    audience: vars.HOSTED_APP_AUDIENCE ?? publicOrigin,
    origin,
    loginUrl: `${url.replace(/\/$/, "")}/login`,
  };
}

/** An address that keys come from or tokens go to; in production nobody may listen in. */
function privateUrl(
  isProduction: boolean,
  vars: Variables,
  variable: "HOSTED_APP_JWKS_URL" | "AUTH_TOKEN_SYNC_URL",
): string | null {
  const url = vars[variable] ?? null;
  if (isProduction && url && !url.startsWith("https:"))
    throw new ConfigError(`${variable}: must start with https: in production`);
  return url;
}

/** The hostnames people may begin a sign-in at a provider from (spec §7). */
function authorizedDomainsFrom(vars: Variables, publicOrigin: string, isProduction: boolean): string[] {
  if (vars.AUTHORIZED_DOMAINS.length > 0) return vars.AUTHORIZED_DOMAINS;
  return [...new Set([new URL(publicOrigin).hostname, ...(isProduction ? [] : ["localhost"])])];
}

function originOf(url: string | undefined): string | null {
  return url ? new URL(url).origin : null;
}

/** A name as it can stand in an address: "Own Wörter" is own-worter. */
function slugOf(name: string): string {
  const plain = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "site";
}

export interface WaitlistWidget {
  scriptUrl: string;
  styleUrl: string | null;
}

/** The third-party waitlist (spec §2, Pricing page). `null`: our own. */
function waitlistWidgetFrom(vars: Variables): WaitlistWidget | null {
  const { WAITLIST_WIDGET_SCRIPT_URL: scriptUrl, WAITLIST_WIDGET_STYLE_URL: styleUrl = null } = vars;
  if (scriptUrl) return { scriptUrl, styleUrl };
  return styleUrl ? missing("WAITLIST_WIDGET_SCRIPT_URL") : null;
}

function missing(variable: string): never {
  throw new ConfigError(`${variable}: must be set`);
}

/** Outside production a secret is made once and kept, so that sessions outlive a restart. */
function keptSecret(dataDir: string): string {
  const file = join(dataDir, "auth-secret");
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(file, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" });
  }
  return readFileSync(file, "utf8");
}
