import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { z } from "zod";
import { PLUS_TAX } from "../ui/offer.ts";
import { currencyName } from "./currency.ts";
import { environment, NOTHING_SET, productionEnvironment, type Variables } from "./environment.server.ts";
import { findConflicts } from "./environment-rules.server.ts";
import {
  appCheckFrom,
  handoffFrom,
  mailFrom,
  paymentsFrom,
  projectIdFrom,
  providerFrom,
} from "./service-config.server.ts";
import { isLoopback } from "./trusted-proxies.ts";
import { readVersion } from "./version.server.ts";
import type { WaitlistWidget } from "./waitlist-widget.ts";

/** Its message names every missing, malformed or conflicting variable. */
export class ConfigError extends Error {
  override name = "ConfigError";
}

/** For the build's pictures: a build has no data folder and no secrets. @throws ConfigError naming every malformed variable */
export function readBrand(env: NodeJS.ProcessEnv): { product: string; headline: string } {
  const parsed = environment.pick({ PRODUCT_NAME: true, HEADLINE: true }).safeParse(env);
  if (!parsed.success) throw new ConfigError(parsed.error.issues.map(describeIssue).join("\n"));
  return { product: parsed.data.PRODUCT_NAME, headline: parsed.data.HEADLINE };
}

/** Reserved (RFC 2606), for the sandbox. */
const DEFAULT_ADMIN_EMAIL = "admin@ownwords.example";
const PLACEHOLDERS = {
  supportEmail: "support@ownwords.example",
  communityUrl: "https://discord.example/",
  microblogUrl: "https://bluesky.example/",
  codeHostUrl: "https://github.example/",
  storeUrl: "https://store.ownwords.example/",
};

export type Config = ReturnType<typeof readConfig>;

/** Missing payment keys only turn payments off. @throws ConfigError naming every missing, malformed or conflicting variable */
export function readConfig(env: NodeJS.ProcessEnv) {
  const vars = parseOrThrow(env);
  const isProduction = vars.NODE_ENV === "production";
  const dataDir = resolve(vars.DATA_DIR);
  const publicOrigin = vars.PUBLIC_ORIGIN ?? `http://localhost:${vars.PORT}`;
  const mail = mailFrom(vars, isProduction, PLACEHOLDERS.supportEmail);
  let authSecret = vars.AUTH_SECRET;
  const adminEmails = [...vars.ADMIN_EMAILS, ...(vars.ADMIN_EMAIL ? [vars.ADMIN_EMAIL] : [])];
  const isSandboxShared = vars.SANDBOX === "public" || (vars.HOST !== undefined && !isLoopback(vars.HOST));

  return {
    version: readVersion(vars.COMMIT),
    isProduction,
    /** `web` serves, `worker` runs jobs, sweeps and the nightly work, `all` does both. */
    role: vars.ROLE,
    port: vars.PORT,
    /** `undefined`: all addresses of this machine. */
    hosts: hostsFrom(vars, isProduction),
    /** Requests are still accepted this long after SIGTERM. */
    drainSeconds: vars.DRAIN_SECONDS ?? (isProduction ? 3 : 0),
    publicOrigin,
    /** The sandboxes allow signing in as any user and reading all mail. */
    isSandboxPublic: !isProduction && isSandboxShared,
    /** On loopback; 0: any free port. */
    sandboxStripePort: vars.SANDBOX_STRIPE_PORT ?? (vars.PORT + 1) % 65536,
    /** Their X-Forwarded-For is trusted. */
    trustedProxies: vars.TRUSTED_PROXIES,
    dataDir,
    log: {
      level: vars.LOG_LEVEL,
      /** One in this many answers from memory and of static files is logged. */
      sample: vars.LOG_SAMPLE,
      isPretty: vars.LOG_FORMAT
        ? vars.LOG_FORMAT === "pretty"
        : vars.NODE_ENV === "development" && Boolean(process.stdout.isTTY),
    },
    metrics: vars.METRICS_PORT ? { port: vars.METRICS_PORT, host: vars.METRICS_HOST } : null,
    /** Below the endpoint for all signals (https://opentelemetry.io/docs/specs/otel/protocol/exporter/). */
    tracesUrl: vars.OTEL_EXPORTER_OTLP_ENDPOINT
      ? `${withoutSlash(vars.OTEL_EXPORTER_OTLP_ENDPOINT)}/v1/traces`
      : null,
    /** `null`: start the embedded PostgreSQL in `dataDir`. Both URLs are the same unless the owner of the tables has its own role. */
    database: vars.DATABASE_URL
      ? { siteUrl: vars.DATABASE_URL, ownerUrl: vars.DATABASE_OWNER_URL ?? vars.DATABASE_URL }
      : null,
    backup: {
      dir: resolve(vars.BACKUP_DIR ?? join(dataDir, "backups")),
      key: vars.BACKUP_KEY ?? null,
      keepDays: vars.BACKUP_KEEP_DAYS,
      /** The folder of pg_dump and pg_restore; `null`: the usual places. */
      programs: vars.PG_BIN ?? null,
    },
    limitsTimes: vars.LIMITS_TIMES ?? (isProduction ? 1 : 10),
    databasePoolSize: vars.DATABASE_POOL_SIZE,
    databaseTimeoutSeconds: vars.DATABASE_TIMEOUT_SECONDS,
    /** Generated on first use, so that a command that does not need it creates no folder. */
    get authSecret(): string {
      authSecret ??= readOrCreateSecret(dataDir);
      return authSecret;
    },
    /** Those that read earlier data: while the secret is being replaced, the one before, too. */
    get authSecrets(): readonly string[] {
      return vars.AUTH_SECRET_BEFORE ? [this.authSecret, vars.AUTH_SECRET_BEFORE] : [this.authSecret];
    },
    /** Spec §6, in lower case; one entry by default. */
    adminEmails: new Set(adminEmails.length > 0 ? adminEmails : [DEFAULT_ADMIN_EMAIL]),
    providers: {
      google: providerFrom("google", vars, isProduction),
      facebook: providerFrom("facebook", vars, isProduction),
    },
    payments: paymentsFrom(vars, isProduction),
    /** ISO 4217 in lower case. Prices in other currencies are not on sale. */
    currency: vars.CURRENCY,
    /** Access while a renewal is late or not paid. */
    graceDays: vars.GRACE_DAYS,
    mail,
    waitlistWidget: waitlistWidgetFrom(vars),
    /** Of access tokens: the origin of the hosted app, or our own. */
    tokenAudience: vars.HOSTED_APP_URL ? new URL(vars.HOSTED_APP_URL).origin : publicOrigin,
    /** Receives a request on every sign-in and sign-out (spec §7). */
    tokenSyncUrl: vars.AUTH_TOKEN_SYNC_URL ?? null,
    handoff: handoffFrom(vars, publicOrigin),
    /** Their scripts may call our JSON endpoints, without cookies. */
    corsOrigins: vars.CORS_ORIGINS,
    /** Where users may sign in (spec §7, GET /v1/projects). */
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
      plusTax: vars.STRIPE_TAX === "on" ? PLUS_TAX : "",
      bankCountries: vars.BANK_COUNTRIES,
      mailboxUrl: mail.mode === "sandbox" ? "/sandbox/mail" : null,
      ...contactsFrom(vars, isProduction),
      /** For Login and Sign Up (spec §1, first reading). `null`: our pages. */
      hostedAppUrl:
        vars.SIGN_IN === "redirect" && vars.HOSTED_APP_URL ? withoutSlash(vars.HOSTED_APP_URL) : null,
    },
  };
}

function parseOrThrow(env: NodeJS.ProcessEnv): Variables {
  const mode = environment.shape.NODE_ENV.safeParse(env.NODE_ENV);
  // NODE_ENV=prod means production.
  const isProduction = !mode.success || mode.data === "production";
  const { data, error } = (isProduction ? productionEnvironment : environment).safeParse({
    ...NOTHING_SET,
    ...env,
  });
  const issues = error?.issues ?? [];
  // For rules about several variables a malformed one counts as absent.
  const malformed = new Set(issues.map(({ path }) => String(path[0])));
  const absent = Object.fromEntries([...malformed].map((variable) => [variable, undefined]));
  const vars = data ?? environment.parse({ ...env, ...absent });
  const problems = [...issues.map(describeIssue), ...findConflicts(vars, isProduction, malformed)];
  if (problems.length > 0) throw new ConfigError(problems.join("\n"));
  return vars;
}

function describeIssue({ path, message }: z.core.$ZodIssue): string {
  return `${path.join(".")}: ${message}`;
}

/** Outside production loopback only, because of the sandboxes: both addresses of `localhost`. */
function hostsFrom(vars: Variables, isProduction: boolean): (string | undefined)[] {
  if (vars.HOST) return [vars.HOST];
  return isProduction || vars.SANDBOX === "public" ? [undefined] : ["127.0.0.1", "::1"];
}

/** Production leaves out unset ones and warns (start-warnings.server.ts). */
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

function authorizedDomainsFrom(vars: Variables, publicOrigin: string, isProduction: boolean): string[] {
  if (vars.AUTHORIZED_DOMAINS.length > 0) return vars.AUTHORIZED_DOMAINS;
  return [...new Set([new URL(publicOrigin).hostname, ...(isProduction ? [] : ["localhost"])])];
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}

/** Spec §2, Pricing page. `null`: our own waitlist. */
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

/** Kept, so that sessions survive a restart. Outside production only. */
function readOrCreateSecret(dataDir: string): string {
  const file = join(dataDir, "auth-secret");
  if (!existsSync(file)) {
    mkdirSync(dataDir, { recursive: true });
    writeFileSync(file, randomBytes(32).toString("base64url"), { mode: 0o600, flag: "wx" });
  }
  return readFileSync(file, "utf8");
}
