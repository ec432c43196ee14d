import { isLiveKey, isPublic, type Variables } from "./environment.server.ts";
import { isPublished } from "./guessable-secrets.server.ts";
import { isLoopback } from "./trusted-proxies.ts";

/** A line for each broken rule about several variables. @param malformed absent from `vars`, but not to be reported as missing */
export function findConflicts(
  vars: Variables,
  isProduction: boolean,
  malformed: ReadonlySet<string>,
): string[] {
  const isSet = (variable: keyof Variables) => malformed.has(variable) || Boolean(vars[variable]);
  const conflicts: string[] = [];
  const reportIf = (isWrong: boolean, variable: keyof Variables, message: string) => {
    if (isWrong && !malformed.has(variable)) conflicts.push(`${variable}: ${message}`);
  };
  const needs = (variable: keyof Variables, needed: keyof Variables, why = "") =>
    reportIf(isSet(variable) && !isSet(needed), needed, `must be set, because ${variable} is${why}`);

  if (isProduction) {
    reportIf(
      !isSet("DATABASE_URL") && !isSet("EMBEDDED_DATABASE"),
      "DATABASE_URL",
      `must be set in production, or EMBEDDED_DATABASE=on to keep the data in DATA_DIR on this machine`,
    );
    for (const variable of ["DATABASE_URL", "DATABASE_OWNER_URL", "SMTP_URL"] as const) {
      const url = vars[variable];
      const host = url ? remoteHostOf(url) : null;
      if (!url || !host) continue;
      const password = decodeURIComponent(new URL(url).password);
      reportIf(isPublished(password), variable, "has the password of an example: choose another");
      reportIf(
        !isEncrypted(url) && !vars.UNENCRYPTED_HOSTS.includes(host),
        variable,
        `sends passwords and people's data to ${host} without encryption, or without looking at its certificate: ` +
          `${variable === "SMTP_URL" ? "write smtps://, or add ?requireTLS=true" : "add ?sslmode=verify-full (or require, with a certificate of your own)"}; ` +
          `or, where only your own machines are between, set UNENCRYPTED_HOSTS=${host}`,
      );
    }
  } else {
    reportIf(
      isPublic(vars.PUBLIC_ORIGIN) && vars.SANDBOX !== "public",
      "PUBLIC_ORIGIN",
      "people elsewhere can reach this address, where anybody may sign in as anybody and read all mail. " +
        "Set NODE_ENV=production, or, for a demonstration, SANDBOX=public",
    );
    reportIf(
      isLiveKey(vars.STRIPE_SECRET_KEY ?? ""),
      "STRIPE_SECRET_KEY",
      "live keys need NODE_ENV=production",
    );
  }

  reportIf(
    isSet("AUTH_SECRET_BEFORE") && vars.AUTH_SECRET_BEFORE === vars.AUTH_SECRET,
    "AUTH_SECRET_BEFORE",
    "must be the secret that AUTH_SECRET replaces, and is the same",
  );
  // A Stripe key without the webhook secret would take payments and miss their events: half a pair is always an error.
  for (const [one, other] of [
    ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
    ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
    ["FACEBOOK_CLIENT_ID", "FACEBOOK_CLIENT_SECRET"],
  ] as const) {
    needs(one, other);
    needs(other, one);
  }
  needs("DATABASE_OWNER_URL", "DATABASE_URL");
  reportIf(
    isSet("DATABASE_OWNER_URL") &&
      isSet("DATABASE_URL") &&
      ["", roleOf(vars.DATABASE_OWNER_URL)].includes(roleOf(vars.DATABASE_URL)),
    "DATABASE_URL",
    "must name a role that is not the one of DATABASE_OWNER_URL",
  );
  const isRedirecting = vars.SIGN_IN === "redirect";
  reportIf(
    !isSet("HOSTED_APP_URL") && (isRedirecting || isSet("HOSTED_APP_JWKS_URL")),
    "HOSTED_APP_URL",
    `must be set, because ${isRedirecting ? "SIGN_IN=redirect" : "HOSTED_APP_JWKS_URL"} is`,
  );
  needs("APP_CHECK_JWKS_URL", "APP_CHECK_ISSUER");
  needs("APP_CHECK_ISSUER", "APP_CHECK_JWKS_URL", ": without it no app is verified");
  needs("APP_CHECK_AUDIENCE", "APP_CHECK_JWKS_URL", ": without it no app is verified");
  reportIf(
    vars.METRICS_PORT === vars.PORT,
    "METRICS_PORT",
    "must not be PORT: visitors of the site could read the metrics",
  );
  needs("WAITLIST_WIDGET_STYLE_URL", "WAITLIST_WIDGET_SCRIPT_URL");
  return conflicts;
}

/** `null` for a socket of this machine, or loopback. */
function remoteHostOf(url: string): string | null {
  const { hostname, searchParams } = new URL(url);
  const given = searchParams.getAll("host").at(-1) || decodeURIComponent(hostname);
  const host = given.toLowerCase().replace(/^\[|\]$/g, "");
  return host === "" || host.startsWith("/") || isLoopback(host) ? null : host;
}

/** pg and nodemailer continue without encryption unless told otherwise, and can be told to accept any certificate. */
function isEncrypted(url: string): boolean {
  const { protocol, searchParams } = new URL(url);
  const last = (name: string) => searchParams.getAll(name).at(-1) ?? "";
  const has = (name: string) => /^(true|1)$/.test(last(name));
  if (/^(false|0)$/.test(last("tls.rejectUnauthorized"))) return false;
  if (protocol === "smtps:") return true;
  if (protocol === "smtp:") return has("requireTLS") && !has("ignoreTLS") && !has("opportunisticTLS");
  if (last("sslmode") === "") return has("ssl");
  return /^(require|verify-ca|verify-full)$/.test(last("sslmode"));
}

function roleOf(url: string | undefined): string {
  return url ? new URL(url).username : "";
}
