import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { currencyName } from "./currency.ts";
import { environment, type Variables } from "./environment.server.ts";
import { findConflicts, isLoopback } from "./environment-rules.server.ts";
import { telemetryFrom } from "./telemetry-config.server.ts";
import { appCheckFrom, handoffFrom, projectIdFrom } from "./token-config.server.ts";
import { readVersion } from "./version.server.ts";
import type { WaitlistWidget } from "./waitlist-widget.ts";

/** Thrown at boot for missing, malformed or conflicting settings; its message names every such variable. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/**
 * The settings that the pictures of the build contain. Reads nothing else and creates nothing, because a build has no
 * data folder and no secrets.
 *
 * @throws ConfigError naming every variable that is malformed
 */
export function readBrand(env: NodeJS.ProcessEnv): { product: string; headline: string } {
  const parsed = environment.pick({ PRODUCT_NAME: true, HEADLINE: true }).safeParse(env);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(describeIssue).join("\n"));
  return { product: parsed.data.PRODUCT_NAME, headline: parsed.data.HEADLINE };
}

/** At addresses nobody can have (RFC 2606), for the sandbox. */
const DEFAULT_ADMIN_EMAIL = "admin@ownwords.example";
const PLACEHOLDERS = {
  supportEmail: "support@ownwords.example",
  communityUrl: "https://discord.example/",
  microblogUrl: "https://bluesky.example/",
  codeHostUrl: "https://github.example/",
  storeUrl: "https://store.ownwords.example/",
};

export type Config = ReturnType<typeof readConfig>;

/**
 * The settings of this process, read once and typed.
 *
 * @throws ConfigError naming every variable that is missing, malformed or in conflict with others. In production a
 *   missing secret or public origin is an error; missing payment keys only turn payments off (see `payments`).
 */
export function readConfig(env: NodeJS.ProcessEnv) {
  const vars = parseOrThrow(env);
  const isProduction = vars.NODE_ENV === "production";
  const dataDir = resolve(vars.DATA_DIR);
  const publicOrigin = vars.PUBLIC_ORIGIN ?? `http://localhost:${vars.PORT}`;
  const mail = mailFrom(vars, isProduction);
  let authSecret = vars.AUTH_SECRET;
  const adminEmails = [...vars.ADMIN_EMAILS, ...(vars.ADMIN_EMAIL ? [vars.ADMIN_EMAIL] : [])];

  return {
    version: readVersion(vars.COMMIT),
    isProduction,
    /** `web` serves, `worker` runs jobs, sweeps and the nightly work, `all` does both. */
    role: vars.ROLE,
    port: vars.PORT,
    /** The addresses to listen on; `undefined`: all addresses of this machine. */
    hosts: hostsFrom(vars, isProduction),
    /** How long requests are still accepted after SIGTERM, in seconds. */
    drainSeconds: vars.DRAIN_SECONDS ?? (isProduction ? 3 : 0),
    publicOrigin,
    /** Whether other machines can reach the sandboxes, which let anybody sign in as anybody and read all mail. */
    isSandboxPublic: !isProduction && isReachable(vars),
    /** Where the Stripe sandbox's API listens on loopback; 0: on any port that is free. */
    sandboxStripePort: vars.SANDBOX_STRIPE_PORT ?? (vars.PORT + 1) % 65536,
    /** Proxies whose X-Forwarded-For is trusted. */
    trustedProxies: vars.TRUSTED_PROXIES,
    dataDir,
    ...telemetryFrom(vars),
    /**
     * `null`: start the embedded PostgreSQL in `dataDir`. Otherwise as whom the site connects, and as whom the owner of the
     * tables: one and the same unless there is a role for each.
     */
    database: vars.DATABASE_URL
      ? { siteUrl: vars.DATABASE_URL, ownerUrl: vars.DATABASE_OWNER_URL ?? vars.DATABASE_URL }
      : null,
    backup: {
      dir: resolve(vars.BACKUP_DIR ?? join(dataDir, "backups")),
      /** What backups are encrypted with; `null`: they are not. */
      key: vars.BACKUP_KEY ?? null,
      keepDays: vars.BACKUP_KEEP_DAYS,
      /** The folder of pg_dump and pg_restore; `null`: where they usually are. */
      programs: vars.PG_BIN ?? null,
    },
    /** How many times wider rate limits are than they say; 1: as they are. */
    limitsTimes: vars.LIMITS_TIMES ?? (isProduction ? 1 : 10),
    databasePoolSize: vars.DATABASE_POOL_SIZE,
    databaseTimeoutSeconds: vars.DATABASE_TIMEOUT_SECONDS,
    /** Generated on first use, so that a command without need of it creates no folder. */
    get authSecret(): string {
      authSecret ??= readOrCreateSecret(dataDir);
      return authSecret;
    },
    /** The spec's admin allowlist, of one entry by default (spec §6), in lower case. */
    adminEmails: new Set(adminEmails.length > 0 ? adminEmails : [DEFAULT_ADMIN_EMAIL]),
    providers: {
      google: providerFrom("google", vars, isProduction),
      facebook: providerFrom("facebook", vars, isProduction),
    },
    payments: paymentsFrom(vars, isProduction),
    /** ISO 4217 in lower case. Prices in other currencies are not on sale. */
    currency: vars.CURRENCY,
    /** How long a plan gives access while its renewal is late or not paid. */
    graceDays: vars.GRACE_DAYS,
    mail,
    waitlistWidget: waitlistWidgetFrom(vars),
    /** The audience of our access tokens: the origin of the hosted app, or our own without one. */
    tokenAudience: originOf(vars.HOSTED_APP_URL) ?? publicOrigin,
    /** Receives a request on every sign-in and sign-out (spec §7). `null`: not configured. */
    tokenSyncUrl: vars.AUTH_TOKEN_SYNC_URL ?? null,
    handoff: handoffFrom(vars, publicOrigin),
    /** Origins whose scripts may call our JSON endpoints, without cookies. */
    corsOrigins: vars.CORS_ORIGINS,
    /** Hosts on which users may sign in (spec §7, GET /v1/projects). */
    authorizedDomains: authorizedDomainsFrom(vars, publicOrigin, isProduction),
    projectId: projectIdFrom(vars),
    appCheck: appCheckFrom(vars),
    site: {
      origin: publicOrigin,
      product: vars.PRODUCT_NAME,
      headline: vars.HEADLINE,
      tagline: vars.TAGLINE,
      company: vars.COMPANY_NAME ?? null,
      companyAddress: vars.COMPANY_ADDRESS ?? null,
      replyDays: vars.REPLY_DAYS,
      withdrawal: vars.WITHDRAWAL === "on",
      currency: currencyName(vars.CURRENCY),
      bankCountries: vars.BANK_COUNTRIES,
      mailboxUrl: mail.mode === "sandbox" ? "/sandbox/mail" : null,
      ...contactsFrom(vars, isProduction),
      hostedAppUrl: hostedAppFrom(vars),
    },
  };
}

/** @throws ConfigError listing all problems at once */
function parseOrThrow(env: NodeJS.ProcessEnv): Variables {
  const parsed = environment.safeParse(env);
  const issues = parsed.error?.issues ?? [];
  const malformed = new Set(issues.map(({ path }) => String(path[0])));
  // For rules about several variables a malformed one counts as absent, except that NODE_ENV=prod means production.
  const absent = Object.fromEntries([...malformed].map((variable) => [variable, undefined]));
  const strict = malformed.has("NODE_ENV") ? { NODE_ENV: "production" } : {};
  const vars = environment.parse({ ...env, ...absent, ...strict });
  const problems = [
    ...issues.map(describeIssue),
    ...findConflicts(vars, malformed).map(({ variable, message }) => `${variable}: ${message}`),
  ];
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return vars;
}

function describeIssue({ path, message }: { path: PropertyKey[]; message: string }): string {
  return `${path.join(".")}: ${message}`;
}

/**
 * Outside production the default is loopback only, because the sandboxes are not meant for others: both addresses that
 * `localhost` may resolve to.
 */
function hostsFrom(vars: Variables, isProduction: boolean): (string | undefined)[] {
  if (vars.HOST) return [vars.HOST];
  return isProduction || vars.SANDBOX === "public" ? [undefined] : ["127.0.0.1", "::1"];
}

function isReachable({ HOST, SANDBOX }: Variables): boolean {
  return SANDBOX === "public" || (HOST !== undefined && !isLoopback(HOST));
}

export type ProviderConfig =
  | { mode: "real" | "sandbox"; clientId: string; clientSecret: string }
  | { mode: "off"; reason: string };

function providerFrom(
  provider: "google" | "facebook",
  vars: Variables,
  isProduction: boolean,
): ProviderConfig {
  const prefix = ({ google: "GOOGLE", facebook: "FACEBOOK" } as const)[provider];
  const clientId = vars[`${prefix}_CLIENT_ID`];
  const clientSecret = vars[`${prefix}_CLIENT_SECRET`];
  if (clientId && clientSecret) return { mode: "real", clientId, clientSecret };
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

function mailFrom(vars: Variables, isProduction: boolean): MailConfig {
  const ownHost = new URL(vars.PUBLIC_ORIGIN ?? "http://localhost").hostname;
  const from =
    vars.MAIL_FROM ??
    vars.SUPPORT_EMAIL ??
    (isProduction ? `no-reply@${ownHost}` : PLACEHOLDERS.supportEmail);
  if (vars.SMTP_URL) return { mode: "smtp", url: vars.SMTP_URL, from };
  return isProduction ? { mode: "off", reason: "SMTP_URL is not set" } : { mode: "sandbox", from };
}

/** What pages link to outside of the site. Production leaves out what is not set, and warns (start-warnings.server.ts). */
function contactsFrom(vars: Variables, isProduction: boolean) {
  const unset = isProduction ? null : PLACEHOLDERS;
  return {
    supportEmail:
      vars.SUPPORT_EMAIL ?? (isProduction ? vars.MAIL_FROM : undefined) ?? unset?.supportEmail ?? null,
    communityUrl: vars.COMMUNITY_URL ?? unset?.communityUrl ?? null,
    microblogUrl: vars.MICROBLOG_URL ?? unset?.microblogUrl ?? null,
    codeHostUrl: vars.CODE_HOST_URL ?? unset?.codeHostUrl ?? null,
    storeUrl: vars.STORE_URL ?? unset?.storeUrl ?? null,
  };
}

/** Where Login and Sign Up lead when users sign in at the hosted app (spec §1, first reading). `null`: to our pages. */
function hostedAppFrom(vars: Variables): string | null {
  if (vars.SIGN_IN === "local" || !vars.HOSTED_APP_URL) return null;
  return vars.HOSTED_APP_URL.replace(/\/$/, "");
}

/** The hostnames from which a sign-in with a provider may start (spec §7). */
function authorizedDomainsFrom(vars: Variables, publicOrigin: string, isProduction: boolean): string[] {
  if (vars.AUTHORIZED_DOMAINS.length > 0) return vars.AUTHORIZED_DOMAINS;
  return [...new Set([new URL(publicOrigin).hostname, ...(isProduction ? [] : ["localhost"])])];
}

function originOf(url: string | undefined): string | null {
  return url ? new URL(url).origin : null;
}

/** The third-party waitlist (spec §2, Pricing page). `null`: our own. */
function waitlistWidgetFrom(vars: Variables): WaitlistWidget | null {
  const { WAITLIST_WIDGET_SCRIPT_URL: scriptUrl, WAITLIST_WIDGET_STYLE_URL: styleUrl = null } = vars;
  if (!scriptUrl) return null;
  return {
    scriptUrl,
    styleUrl,
    id: vars.WAITLIST_WIDGET_ID,
    attributes: vars.WAITLIST_WIDGET_ATTRIBUTES,
    hosts: {
      script: vars.WAITLIST_WIDGET_SCRIPT_HOSTS,
      style: vars.WAITLIST_WIDGET_STYLE_HOSTS,
      image: vars.WAITLIST_WIDGET_IMAGE_HOSTS,
      font: vars.WAITLIST_WIDGET_FONT_HOSTS,
      connect: vars.WAITLIST_WIDGET_CONNECT_HOSTS,
      frame: vars.WAITLIST_WIDGET_FRAME_HOSTS,
    },
    hasInlineStyles: vars.WAITLIST_WIDGET_INLINE_STYLES === "on",
  };
}

/** Generates a secret once and keeps it, so that sessions survive a restart. For use outside production. */
function readOrCreateSecret(dataDir: string): string {
  const file = join(dataDir, "auth-secret");
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(file, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" });
  }
  return readFileSync(file, "utf8");
}
