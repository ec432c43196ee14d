import { z } from "zod";
import { isCurrency } from "./currency.ts";
import { isFiller, isPublished, isRepetitive } from "./guessable-secrets.server.ts";
import {
  countries,
  emailAddress,
  hostname,
  httpUrl,
  integer,
  listOf,
  optional,
  origin,
  plainOrigin,
  postgresUrl,
  proxies,
  stripeKey,
  widgetAttributes,
  widgetId,
  withDefault,
} from "./setting-types.server.ts";
import { coversTheInternet, isLoopback } from "./trusted-proxies.ts";

export type Variables = z.output<ReturnType<typeof settingsOf>>;

const MODES = ["development", "test", "production"] as const;
const UNSET = "must be set";
const NOT_HTTPS = "must start with https: in production";

/** .env.example explains them; environment-rules.server.ts has the rules about several. */
function settingsOf(isProduction: boolean) {
  /** A rule for production. @param judge returns the problem, if any */
  const strict = <T extends z.ZodType>(type: T, judge: (value: z.output<T>) => string | false | undefined) =>
    type.superRefine((value, context) => {
      const message = isProduction && context.issues.length === 0 && judge(value as z.output<T>);
      if (message) context.addIssue(message);
    });
  const required = <T extends z.ZodType>(type: T) => strict(type, (value) => value === undefined && UNSET);
  const encryptedUrl = () => strict(optional(httpUrl), (url) => url?.startsWith("http:") && NOT_HTTPS);
  const encryptedHosts = () =>
    strict(listOf(plainOrigin), (hosts) => hosts.some((host) => host.startsWith("http:")) && NOT_HTTPS);
  const secret = (type: z.ZodString, { isChosen = false } = {}) =>
    strict(optional(type), (value) => {
      if (value === undefined) return false;
      const how = isChosen ? "set it to what openssl rand -hex 32 prints" : "copy it from the service again";
      if (isPublished(value)) return `must be a secret: this one is published. ${how}`;
      return (
        (isRepetitive(value) || (isChosen && isFiller(value))) &&
        `must be a secret, not spaces, a character, a word or a row of characters again and again: ${how}`
      );
    });
  const longSecret = z.string().min(32, "must have at least 32 characters");

  return z.object({
    NODE_ENV: withDefault(z.enum(MODES), "development"),
    PORT: withDefault(integer(1, 65535), 3000),
    HOST: optional(z.string()),
    ROLE: withDefault(z.enum(["web", "worker", "all"]), "all"),
    DRAIN_SECONDS: optional(z.coerce.number().min(0).max(300)),
    PUBLIC_ORIGIN: strict(
      required(optional(origin)),
      (value) => isPublic(value) && !value?.startsWith("https:") && NOT_HTTPS,
    ),
    SANDBOX: optional(z.enum(["public"])),
    SANDBOX_STRIPE_PORT: optional(integer(0, 65535)),
    TRUSTED_PROXIES: strict(
      withDefault(proxies, ""),
      (ranges) =>
        coversTheInternet(ranges) &&
        "must be your own proxies: these networks cover so much of the internet that any client could name an address of its choice",
    ),
    DATA_DIR: withDefault(z.string(), ".data"),
    DATABASE_URL: optional(postgresUrl),
    DATABASE_OWNER_URL: optional(postgresUrl),
    LIMITS_TIMES: strict(
      optional(integer(1, 100)),
      (times = 1) => times > 1 && "must not be set in production",
    ),
    SCRYPT_LN: strict(
      optional(integer(1, 15)),
      (cost) => cost !== undefined && "must not be set in production: it weakens the hashes of passwords",
    ),
    EMBEDDED_DATABASE: optional(z.enum(["on"])),
    UNENCRYPTED_HOSTS: listOf(
      z
        .string()
        .toLowerCase()
        .regex(/^[a-z0-9_.:-]+$/, "must be hostnames or addresses, without a port"),
    ),
    DATABASE_POOL_SIZE: withDefault(integer(2, 500), 20),
    DATABASE_TIMEOUT_SECONDS: withDefault(z.coerce.number().min(1).max(60), 5),
    BACKUP_DIR: optional(z.string()),
    BACKUP_KEY: secret(longSecret, { isChosen: true }),
    BACKUP_KEEP_DAYS: withDefault(integer(1, 3650), 35),
    PG_BIN: optional(z.string()),
    AUTH_SECRET: required(secret(longSecret, { isChosen: true })),
    // It may be what AUTH_SECRET may not, and is being replaced for that.
    AUTH_SECRET_BEFORE: optional(longSecret),
    STRIPE_SECRET_KEY: secret(stripeKey),
    STRIPE_WEBHOOK_SECRET: secret(z.string().min(8)),
    STRIPE_TAX: withDefault(z.enum(["on", "off"]), "off"),
    CURRENCY: withDefault(
      z.string().toLowerCase().refine(isCurrency, "must be a currency of ISO 4217, such as usd or jpy"),
      "usd",
    ),
    GRACE_DAYS: withDefault(integer(0, 60), 7),
    GOOGLE_CLIENT_ID: optional(z.string()),
    GOOGLE_CLIENT_SECRET: secret(z.string()),
    FACEBOOK_CLIENT_ID: optional(z.string()),
    FACEBOOK_CLIENT_SECRET: secret(z.string()),
    // Lower case, like the addresses of accounts.
    ADMIN_EMAILS: listOf(emailAddress.transform((address) => address.toLowerCase())),
    ADMIN_EMAIL: optional(emailAddress.transform((address) => address.toLowerCase())),
    PRODUCT_NAME: withDefault(z.string().max(40), "Ownwords"),
    HEADLINE: withDefault(z.string().max(60), "Your money, in your own words."),
    TAGLINE: withDefault(
      z.string().max(160),
      "The first personal finance app that makes you create your own spending categories and income sources.",
    ),
    COMPANY_NAME: optional(z.string().max(100)),
    COMPANY_ADDRESS: optional(z.string().max(200)),
    WITHDRAWAL: withDefault(z.enum(["on", "off"]), "on"),
    REPLY_DAYS: withDefault(integer(1, 30), 2),
    BANK_COUNTRIES: withDefault(countries, "US"),
    SUPPORT_EMAIL: optional(emailAddress),
    COMMUNITY_URL: optional(httpUrl),
    MICROBLOG_URL: optional(httpUrl),
    CODE_HOST_URL: optional(httpUrl),
    STORE_URL: optional(httpUrl),
    SIGN_IN: withDefault(z.enum(["local", "redirect"]), "local"),
    HOSTED_APP_URL: strict(optional(httpUrl), (url) => isPlainHttp(url) && NOT_HTTPS),
    HOSTED_APP_JWKS_URL: encryptedUrl(),
    HOSTED_APP_ISSUER: optional(z.string()),
    HOSTED_APP_AUDIENCE: optional(z.string()),
    APP_CHECK_JWKS_URL: encryptedUrl(),
    APP_CHECK_ISSUER: optional(z.string()),
    APP_CHECK_AUDIENCE: optional(z.string()),
    AUTH_TOKEN_SYNC_URL: encryptedUrl(),
    CORS_ORIGINS: strict(listOf(origin), (origins) => {
      const plain = origins.filter(isPlainHttp).join(", ");
      return plain !== "" && `${NOT_HTTPS}, unlike ${plain}`;
    }),
    AUTHORIZED_DOMAINS: listOf(hostname),
    PROJECT_ID: optional(z.string().regex(/^[a-z0-9-]{1,63}$/, "may have a-z, 0-9 and -, 63 at most")),
    SMTP_URL: optional(z.url({ protocol: /^smtps?$/ })),
    MAIL_FROM: optional(emailAddress),
    WAITLIST_WIDGET_SCRIPT_URL: encryptedUrl(),
    WAITLIST_WIDGET_STYLE_URL: encryptedUrl(),
    WAITLIST_WIDGET_ID: optional(widgetId),
    WAITLIST_WIDGET_ATTRIBUTES: optional(widgetAttributes),
    WAITLIST_WIDGET_INLINE_STYLES: withDefault(z.enum(["on", "off"]), "off"),
    WAITLIST_WIDGET_SCRIPT_HOSTS: encryptedHosts(),
    WAITLIST_WIDGET_STYLE_HOSTS: encryptedHosts(),
    WAITLIST_WIDGET_IMAGE_HOSTS: encryptedHosts(),
    WAITLIST_WIDGET_FONT_HOSTS: encryptedHosts(),
    WAITLIST_WIDGET_CONNECT_HOSTS: encryptedHosts(),
    WAITLIST_WIDGET_FRAME_HOSTS: encryptedHosts(),
    COMMIT: optional(z.string().regex(/^[0-9a-f]{7,64}$/, "must be the hash of a commit")),
    LOG_LEVEL: withDefault(z.enum(["silent", "error", "warn", "info", "debug"]), "info"),
    LOG_FORMAT: optional(z.enum(["json", "pretty"])),
    LOG_SAMPLE: withDefault(integer(1), 100),
    METRICS_PORT: optional(integer(1, 65535)),
    METRICS_HOST: withDefault(z.string(), "127.0.0.1"),
    OTEL_EXPORTER_OTLP_ENDPOINT: optional(httpUrl),
  });
}

export const environment = settingsOf(false);
export const productionEnvironment = settingsOf(true);

/** So that zod also judges variables that are not set. */
export const NOTHING_SET = Object.fromEntries(
  Object.keys(environment.shape).map((name) => [name, undefined]),
);

export function isLiveKey(key: string): boolean {
  return key.includes("_live_");
}

export function isPublic(url: string | undefined): boolean {
  return url !== undefined && !isLoopback(new URL(url).hostname);
}

function isPlainHttp(url: string | undefined): boolean {
  return isPublic(url) && url?.startsWith("http:") === true;
}
