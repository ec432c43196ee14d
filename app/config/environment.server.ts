import { z } from "zod";
import { foldAddress, isEmailAddress } from "../ui/email-address.ts";
import { isCurrency } from "./currency.ts";
import { type AddressRange, parseProxy } from "./trusted-proxies.ts";
import { plainOrigin, widgetAttributes, widgetId } from "./waitlist-widget.ts";

const blankIsAbsent = (value: unknown) => (value === "" ? undefined : value);
const optional = <T extends z.ZodType>(type: T) => z.preprocess(blankIsAbsent, type.optional());
const withDefault = <T extends z.ZodType>(type: T, value: z.input<T>) =>
  z.preprocess((input) => blankIsAbsent(input) ?? value, type);

/** For URLs that pages link to or load from; any other scheme, such as javascript:, is a mistake or worse. */
const HTTP = /^https?$/;

const origin = z.url({ protocol: /^https?$/ }).refine((value) => URL.parse(value)?.origin === value, {
  error: "must be an origin, such as https://example.com, without a path",
});

const proxies = z.string().transform((list, context): AddressRange[] =>
  list
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "")
    .flatMap((entry) => {
      const ranges = parseProxy(entry);
      if (!ranges)
        context.addIssue(`"${entry}" must be an address, a network like 10.0.0.0/8, loopback or private`);
      return ranges ?? [];
    }),
);

const hostname = z
  .string()
  .toLowerCase()
  .regex(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, {
    error: "must be hostnames, such as example.com, without scheme, port or path",
  });

const emailAddress = z
  .string()
  .max(1000)
  .transform(foldAddress)
  .pipe(z.string().refine(isEmailAddress, "must be an email address, such as name@example.com"));

/** As accounts have it. */
const adminAddress = emailAddress.transform((address) => address.toLowerCase());

/** Separated by commas; empty or absent: none. */
const listOf = <T extends z.ZodType>(type: T) =>
  z.preprocess(
    (input = "") =>
      String(input)
        .split(",")
        .flatMap((item) => item.trim() || []),
    z.array(type),
  );

/** ISO 3166-1 codes, as their English names: "US, CA" becomes "the United States and Canada". */
const countries = z.string().transform((list, context): string => {
  const codes = list
    .toUpperCase()
    .split(",")
    .flatMap((code) => code.trim() || []);
  // ZZ is the code for an unknown region.
  const isCountry = (code: string) => /^[A-Z]{2}$/.test(code) && code !== "ZZ";
  const names = codes.flatMap((code) => (isCountry(code) ? (COUNTRY_NAMES.of(code) ?? []) : []));
  if (names.length < codes.length || codes.length === 0)
    context.addIssue("must be two-letter country codes, such as US or US,CA");
  return new Intl.ListFormat("en-US").format(names.map(withArticle));
});

const COUNTRY_NAMES = new Intl.DisplayNames("en-US", { type: "region", fallback: "none" });

function withArticle(country: string): string {
  return /^(United|Netherlands|Philippines)/.test(country) ? `the ${country}` : country;
}

/** Stripe's keys contain their mode: sk_live_…, rk_test_…, sk_org_live_…. */
const stripeKey = z.string().refine((key) => /^[^p].*_(live|test)_/.test(key), {
  error:
    "must be a secret or restricted key, with _live_ or _test_ in it (pk_…, a publishable key, is not enough)",
});

/** Whether a Stripe key, of any kind, moves real money. */
export function isLiveKey(key: string): boolean {
  return key.includes("_live_");
}

/** Every variable (.env.example), validated by itself; environment-rules.server.ts checks them together. */
export const environment = z.object({
  NODE_ENV: withDefault(z.enum(["development", "test", "production"]), "development"),
  PORT: withDefault(z.coerce.number().int().min(1).max(65535), 3000),
  HOST: optional(z.string()),
  ROLE: withDefault(z.enum(["web", "worker", "all"]), "all"),
  DRAIN_SECONDS: optional(z.coerce.number().min(0).max(300)),
  PUBLIC_ORIGIN: optional(origin),
  SANDBOX: optional(z.enum(["public"])),
  SANDBOX_STRIPE_PORT: optional(z.coerce.number().int().min(0).max(65535)),
  TRUSTED_PROXIES: withDefault(proxies, ""),
  DATA_DIR: withDefault(z.string(), ".data"),
  DATABASE_URL: optional(z.url({ protocol: /^postgres(ql)?$/ })),
  DATABASE_OWNER_URL: optional(z.url({ protocol: /^postgres(ql)?$/ })),
  LIMITS_TIMES: optional(z.coerce.number().int().min(1).max(100)),
  SCRYPT_LN: optional(z.coerce.number().int().min(1).max(15)),
  EMBEDDED_DATABASE: optional(z.enum(["on"])),
  UNENCRYPTED_HOSTS: listOf(
    z
      .string()
      .toLowerCase()
      .regex(/^[a-z0-9_.:-]+$/, "must be hostnames or addresses, without a port"),
  ),
  DATABASE_POOL_SIZE: withDefault(z.coerce.number().int().min(2).max(500), 20),
  DATABASE_TIMEOUT_SECONDS: withDefault(z.coerce.number().min(1).max(60), 5),
  BACKUP_DIR: optional(z.string()),
  BACKUP_KEY: optional(z.string().min(32, "must have at least 32 characters")),
  BACKUP_KEEP_DAYS: withDefault(z.coerce.number().int().min(1).max(3650), 35),
  PG_BIN: optional(z.string()),
  AUTH_SECRET: optional(z.string().min(32, "must have at least 32 characters")),
  STRIPE_SECRET_KEY: optional(stripeKey),
  STRIPE_WEBHOOK_SECRET: optional(z.string().min(8)),
  CURRENCY: withDefault(
    z.string().toLowerCase().refine(isCurrency, "must be a currency of ISO 4217, such as usd or jpy"),
    "usd",
  ),
  GRACE_DAYS: withDefault(z.coerce.number().int().min(0).max(60), 7),
  GOOGLE_CLIENT_ID: optional(z.string()),
  GOOGLE_CLIENT_SECRET: optional(z.string()),
  FACEBOOK_CLIENT_ID: optional(z.string()),
  FACEBOOK_CLIENT_SECRET: optional(z.string()),
  ADMIN_EMAILS: listOf(adminAddress),
  ADMIN_EMAIL: optional(adminAddress),
  PRODUCT_NAME: withDefault(z.string().max(40), "Ownwords"),
  HEADLINE: withDefault(z.string().max(60), "Your money, in your own words."),
  TAGLINE: withDefault(
    z.string().max(160),
    "The first personal finance app that makes you create your own spending categories and income sources.",
  ),
  COMPANY_NAME: optional(z.string().max(100)),
  COMPANY_ADDRESS: optional(z.string().max(200)),
  WITHDRAWAL: withDefault(z.enum(["on", "off"]), "on"),
  REPLY_DAYS: withDefault(z.coerce.number().int().min(1).max(30), 2),
  BANK_COUNTRIES: withDefault(countries, "US"),
  SUPPORT_EMAIL: optional(emailAddress),
  COMMUNITY_URL: optional(z.url({ protocol: HTTP })),
  MICROBLOG_URL: optional(z.url({ protocol: HTTP })),
  CODE_HOST_URL: optional(z.url({ protocol: HTTP })),
  STORE_URL: optional(z.url({ protocol: HTTP })),
  SIGN_IN: withDefault(z.enum(["local", "redirect"]), "local"),
  HOSTED_APP_URL: optional(z.url({ protocol: HTTP })),
  HOSTED_APP_JWKS_URL: optional(z.url({ protocol: HTTP })),
  HOSTED_APP_ISSUER: optional(z.string()),
  HOSTED_APP_AUDIENCE: optional(z.string()),
  APP_CHECK_JWKS_URL: optional(z.url({ protocol: HTTP })),
  APP_CHECK_ISSUER: optional(z.string()),
  APP_CHECK_AUDIENCE: optional(z.string()),
  AUTH_TOKEN_SYNC_URL: optional(z.url({ protocol: HTTP })),
  CORS_ORIGINS: listOf(origin),
  AUTHORIZED_DOMAINS: listOf(hostname),
  PROJECT_ID: optional(z.string().regex(/^[a-z0-9-]{1,63}$/, "may have a-z, 0-9 and -, 63 at most")),
  SMTP_URL: optional(z.url({ protocol: /^smtps?$/ })),
  MAIL_FROM: optional(emailAddress),
  WAITLIST_WIDGET_SCRIPT_URL: optional(z.url({ protocol: HTTP })),
  WAITLIST_WIDGET_STYLE_URL: optional(z.url({ protocol: HTTP })),
  WAITLIST_WIDGET_ID: optional(widgetId),
  WAITLIST_WIDGET_ATTRIBUTES: optional(widgetAttributes),
  WAITLIST_WIDGET_INLINE_STYLES: withDefault(z.enum(["on", "off"]), "off"),
  WAITLIST_WIDGET_SCRIPT_HOSTS: listOf(plainOrigin),
  WAITLIST_WIDGET_STYLE_HOSTS: listOf(plainOrigin),
  WAITLIST_WIDGET_IMAGE_HOSTS: listOf(plainOrigin),
  WAITLIST_WIDGET_FONT_HOSTS: listOf(plainOrigin),
  WAITLIST_WIDGET_CONNECT_HOSTS: listOf(plainOrigin),
  WAITLIST_WIDGET_FRAME_HOSTS: listOf(plainOrigin),
  COMMIT: optional(z.string().regex(/^[0-9a-f]{7,64}$/, "must be the hash of a commit")),
  LOG_LEVEL: withDefault(z.enum(["silent", "error", "warn", "info", "debug"]), "info"),
  LOG_FORMAT: optional(z.enum(["json", "pretty"])),
  LOG_SAMPLE: withDefault(z.coerce.number().int().min(1), 100),
  METRICS_PORT: optional(z.coerce.number().int().min(1).max(65535)),
  METRICS_HOST: withDefault(z.string(), "127.0.0.1"),
  OTEL_EXPORTER_OTLP_ENDPOINT: optional(z.url({ protocol: HTTP })),
});

export type Variables = z.infer<typeof environment>;
