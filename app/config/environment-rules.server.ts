import { isLiveKey, type Variables } from "./environment.server.ts";
import { isFiller, isPublished, isRepetitive } from "./guessable-secrets.server.ts";
import { coversTheInternet } from "./trusted-proxies.ts";
import { WIDGET_HOSTS } from "./waitlist-widget.ts";

/** A variable that conflicts with others. */
export interface Conflict {
  variable: keyof Variables;
  message: string;
}

const UNSET = "must be set";
/** Those chosen here, and those that another service gave. */
const CHOSEN = ["AUTH_SECRET", "BACKUP_KEY"] as const;
const GIVEN = [
  ...(["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"] as const),
  ...(["GOOGLE_CLIENT_SECRET", "FACEBOOK_CLIENT_SECRET"] as const),
] as const;
/** What a page or our server loads, or whose scripts may call us. */
const ENCRYPTED_URLS = [
  ...(["HOSTED_APP_JWKS_URL", "APP_CHECK_JWKS_URL", "AUTH_TOKEN_SYNC_URL"] as const),
  ...(["WAITLIST_WIDGET_SCRIPT_URL", "WAITLIST_WIDGET_STYLE_URL"] as const),
] as const;
const CONNECTIONS = ["DATABASE_URL", "DATABASE_OWNER_URL", "SMTP_URL"] as const;

/**
 * The conflicts between variables.
 *
 * @param malformed variables that are set but invalid: absent from `vars`, but not to be reported as missing
 */
export function findConflicts(vars: Variables, malformed: ReadonlySet<string>): Conflict[] {
  const isProduction = vars.NODE_ENV === "production";
  const isSet = (variable: keyof Variables) => malformed.has(variable) || Boolean(vars[variable]);
  const conflicts: Conflict[] = [];
  const reportIf = (isWrong: boolean, variable: keyof Variables, message: string) => {
    if (isWrong && !malformed.has(variable)) conflicts.push({ variable, message });
  };

  if (isProduction) {
    reportIf(!isSet("PUBLIC_ORIGIN"), "PUBLIC_ORIGIN", UNSET);
    reportIf(
      isPublic(vars) && !vars.PUBLIC_ORIGIN?.startsWith("https:"),
      "PUBLIC_ORIGIN",
      "must start with https: in production",
    );
    reportIf(!isSet("AUTH_SECRET"), "AUTH_SECRET", UNSET);
    reportIf(
      !isSet("DATABASE_URL") && !isSet("EMBEDDED_DATABASE"),
      "DATABASE_URL",
      `${UNSET} in production, or EMBEDDED_DATABASE=on to keep the data in DATA_DIR on this machine`,
    );
    reportIf((vars.LIMITS_TIMES ?? 1) > 1, "LIMITS_TIMES", "must not be set in production");
    reportIf(
      isSet("SCRYPT_LN"),
      "SCRYPT_LN",
      "must not be set in production: it weakens the hashes of passwords",
    );
    for (const secret of [...CHOSEN, ...GIVEN]) {
      const value = vars[secret];
      if (value === undefined) continue;
      const isChosen = CHOSEN.some((chosen) => chosen === secret);
      const how = isChosen ? `set it to what openssl rand -hex 32 prints` : "copy it from the service again";
      if (isPublished(value)) reportIf(true, secret, `must be a secret: this one is published. ${how}`);
      else
        reportIf(
          isRepetitive(value) || (isChosen && isFiller(value)),
          secret,
          `must be a secret, not spaces, a character, a word or a row of characters again and again: ${how}`,
        );
    }
    for (const variable of ENCRYPTED_URLS) {
      const isUnencrypted = vars[variable]?.startsWith("http:") ?? false;
      reportIf(isUnencrypted, variable, "must start with https: in production");
    }
    for (const kind of WIDGET_HOSTS) {
      const variable = `WAITLIST_WIDGET_${kind.toUpperCase() as Uppercase<typeof kind>}_HOSTS` as const;
      const isUnencrypted = vars[variable].some((host) => host.startsWith("http:"));
      reportIf(isUnencrypted, variable, "must start with https: in production");
    }
    const { HOSTED_APP_URL, CORS_ORIGINS } = vars;
    reportIf(isPlainHttp(HOSTED_APP_URL), "HOSTED_APP_URL", "must start with https: in production");
    const plainOrigins = CORS_ORIGINS.filter(isPlainHttp).join(", ");
    reportIf(
      plainOrigins !== "",
      "CORS_ORIGINS",
      `must start with https: in production, unlike ${plainOrigins}`,
    );
    reportIf(
      coversTheInternet(vars.TRUSTED_PROXIES),
      "TRUSTED_PROXIES",
      "must be your own proxies: these networks cover so much of the internet that any client could name an address of its choice",
    );
    for (const variable of CONNECTIONS) {
      const url = vars[variable];
      if (url === undefined) continue;
      const host = remoteHostOf(url);
      const { password } = new URL(url);
      reportIf(
        host !== null && isPublished(decodeURIComponent(password)),
        variable,
        "has the password of an example: choose another",
      );
      reportIf(
        host !== null && !isEncrypted(url) && !vars.UNENCRYPTED_HOSTS.includes(host),
        variable,
        `sends passwords and people's data to ${host} without encryption, or without looking at its certificate: ${ENCRYPTION[variable === "SMTP_URL" ? "mail" : "database"]}; ` +
          `or, where only your own machines are between, set UNENCRYPTED_HOSTS=${host}`,
      );
    }
  } else {
    reportIf(
      isPublic(vars) && vars.SANDBOX !== "public",
      "PUBLIC_ORIGIN",
      "people elsewhere can reach this address, where anybody may sign in as anybody and read all mail. " +
        "Set NODE_ENV=production, or, for a demonstration, SANDBOX=public",
    );
    // The sandboxes let anybody sign in as anybody and read all mail.
    reportIf(
      isLiveKey(vars.STRIPE_SECRET_KEY ?? ""),
      "STRIPE_SECRET_KEY",
      "live keys need NODE_ENV=production",
    );
  }

  // A Stripe key without the webhook secret would take payments and miss their events: half a pair is always an error.
  for (const [one, other] of [
    ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
    ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
    ["FACEBOOK_CLIENT_ID", "FACEBOOK_CLIENT_SECRET"],
  ] as const) {
    reportIf(isSet(one) && !isSet(other), other, `${UNSET}, because ${one} is`);
    reportIf(isSet(other) && !isSet(one), one, `${UNSET}, because ${other} is`);
  }
  reportIf(
    isSet("DATABASE_OWNER_URL") && !isSet("DATABASE_URL"),
    "DATABASE_URL",
    `${UNSET}, because DATABASE_OWNER_URL is`,
  );
  reportIf(
    isSet("DATABASE_OWNER_URL") &&
      isSet("DATABASE_URL") &&
      ["", roleOf(vars.DATABASE_OWNER_URL)].includes(roleOf(vars.DATABASE_URL)),
    "DATABASE_URL",
    "must name a role that is not the one of DATABASE_OWNER_URL",
  );
  reportIf(
    !isSet("HOSTED_APP_URL") && (vars.SIGN_IN === "redirect" || isSet("HOSTED_APP_JWKS_URL")),
    "HOSTED_APP_URL",
    `${UNSET}, because ${vars.SIGN_IN === "redirect" ? "SIGN_IN=redirect" : "HOSTED_APP_JWKS_URL"} is`,
  );
  reportIf(
    isSet("APP_CHECK_JWKS_URL") && !isSet("APP_CHECK_ISSUER"),
    "APP_CHECK_ISSUER",
    `${UNSET}, because APP_CHECK_JWKS_URL is`,
  );
  for (const variable of ["APP_CHECK_ISSUER", "APP_CHECK_AUDIENCE"] as const) {
    reportIf(
      isSet(variable) && !isSet("APP_CHECK_JWKS_URL"),
      "APP_CHECK_JWKS_URL",
      `${UNSET}, because ${variable} is: without it no app is verified`,
    );
  }
  reportIf(
    vars.METRICS_PORT === vars.PORT,
    "METRICS_PORT",
    "must not be PORT: whoever reads the site would read the metrics",
  );
  reportIf(
    isSet("WAITLIST_WIDGET_STYLE_URL") && !isSet("WAITLIST_WIDGET_SCRIPT_URL"),
    "WAITLIST_WIDGET_SCRIPT_URL",
    `${UNSET}, because WAITLIST_WIDGET_STYLE_URL is`,
  );
  return conflicts;
}

const ENCRYPTION = {
  mail: "write smtps://, or add ?requireTLS=true",
  database: "add ?sslmode=verify-full (or require, with a certificate of your own)",
};

/** Whether a URL is http: and leads to another machine. */
function isPlainHttp(url: string | undefined): boolean {
  return Boolean(url?.startsWith("http:") && !isLoopback(new URL(url).hostname));
}

/** The host that a database's or mail server's URL leads to; `null` for a socket of this machine, or loopback. */
function remoteHostOf(url: string): string | null {
  const { hostname, searchParams } = new URL(url);
  const given = searchParams.getAll("host").at(-1) || decodeURIComponent(hostname);
  const host = given.toLowerCase().replace(/^\[|\]$/g, "");
  return host === "" || host.startsWith("/") || isLoopback(host) ? null : host;
}

/**
 * Whether a connection is encrypted, to the server it is meant for, or not made: both pg and nodemailer go on without encryption
 * unless told otherwise, and take any server's certificate when told so.
 */
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

/** The role that a database's URL names; empty for none. */
function roleOf(url: string | undefined): string {
  return url ? new URL(url).username : "";
}

function isPublic({ PUBLIC_ORIGIN: origin }: Variables): boolean {
  return origin !== undefined && !isLoopback(new URL(origin).hostname);
}

/** Whether a hostname or address, as in a URL or in HOST, is loopback. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(hostname);
}
