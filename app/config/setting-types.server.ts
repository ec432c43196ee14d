import { z } from "zod";
import { foldAddress, isEmailAddress } from "../ui/email-address.ts";
import { type AddressRange, parseProxy } from "./trusted-proxies.ts";

const blankIsAbsent = (value: unknown) => (value === "" ? undefined : value);

export const optional = <T extends z.ZodType>(type: T) => z.preprocess(blankIsAbsent, type.optional());

export const withDefault = <T extends z.ZodType>(type: T, value: z.input<T>) =>
  z.preprocess((input) => blankIsAbsent(input) ?? value, type);

/** Separated by commas; empty or absent: none. */
export const listOf = <T extends z.ZodType>(type: T) =>
  z.preprocess((input = "") => splitList(String(input)), z.array(type));

function splitList(list: string): string[] {
  return list.split(",").flatMap((item) => item.trim() || []);
}

export const integer = (min: number, max?: number) => {
  const type = z.coerce.number().int().min(min);
  return max === undefined ? type : type.max(max);
};

/** Any other scheme, such as javascript:, is a mistake or worse. */
export const httpUrl = z.url({ protocol: /^https?$/ });

/** libpq takes several hosts, pg takes them for one name. The authority's password may have commas. */
const SEVERAL_HOSTS = /^postgres(ql)?:\/\/([^/?#]*@)?[^@/?#]*,[^@/?#]*([/?#]|$)|[?&]host=[^&#]*(,|%2c)/i;

export const postgresUrl = z
  .string()
  .refine((url) => !SEVERAL_HOSTS.test(url), {
    abort: true,
    error:
      "must name one host: HAProxy, PgBouncer or your provider’s endpoint finds the primary among several (docs/operate.md, High availability)",
  })
  .pipe(z.url({ protocol: /^postgres(ql)?$/ }));

export const origin = httpUrl.refine((value) => URL.parse(value)?.origin === value, {
  error: "must be an origin, such as https://example.com, without a path",
});

/** Without a wildcard, for a Content-Security-Policy. */
export const plainOrigin = z
  .string()
  .refine(
    (value) => /^https?:\/\/[a-z0-9.-]+(:\d{1,5})?$/.test(value) && URL.parse(value)?.origin === value,
    "must be origins, such as https://api.example.com, without a path or a wildcard",
  );

export const hostname = z
  .string()
  .toLowerCase()
  .regex(
    /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/,
    "must be hostnames, such as example.com, without scheme, port or path",
  );

export const emailAddress = z
  .string()
  .max(1000)
  .transform(foldAddress)
  .pipe(z.string().refine(isEmailAddress, "must be an email address, such as name@example.com"));

export const proxies = z.string().transform((list, context): AddressRange[] =>
  splitList(list).flatMap((entry) => {
    const ranges = parseProxy(entry);
    if (!ranges)
      context.addIssue(`"${entry}" must be an address, a network like 10.0.0.0/8, loopback or private`);
    return ranges ?? [];
  }),
);

/** Stripe's keys contain their mode: sk_live_…, rk_test_…, sk_org_live_… */
export const stripeKey = z
  .string()
  .regex(
    /^[^p].*_(live|test)_/,
    "must be a secret or restricted key, with _live_ or _test_ in it (pk_…, a publishable key, is not enough)",
  );

const COUNTRY_NAMES = new Intl.DisplayNames("en-US", { type: "region", fallback: "none" });

/** ISO 3166-1 codes to English names: "US, CA" becomes "the United States and Canada". */
export const countries = z.string().transform((list, context): string => {
  const codes = splitList(list.toUpperCase());
  // ZZ is the code for an unknown region.
  const isCountry = (code: string) => /^[A-Z]{2}$/.test(code) && code !== "ZZ";
  const names = codes.flatMap((code) => (isCountry(code) ? (COUNTRY_NAMES.of(code) ?? []) : []));
  if (names.length < codes.length || codes.length === 0)
    context.addIssue("must be two-letter country codes, such as US or US,CA");
  const inSentence = (name: string) =>
    /^(United|Netherlands|Philippines)/.test(name) ? `the ${name}` : name;
  return new Intl.ListFormat("en-US").format(names.map(inSentence));
});

export const widgetId = z.string().regex(/^[A-Za-z][\w:.-]{0,99}$/, "must be an id, such as waitlist-widget");

/** Written as a query: `class=form&data-form=abc`. */
export const widgetAttributes = z
  .string()
  .max(2000)
  .transform((query, context): Record<string, string> => {
    const attributes = [...new URLSearchParams(query)];
    for (const [name] of attributes)
      if (!/^(class|data-[a-z0-9_-]+)$/.test(name))
        context.addIssue(`has "${name}": only class and data-… are attributes of a widget`);
    return Object.fromEntries(attributes);
  });
