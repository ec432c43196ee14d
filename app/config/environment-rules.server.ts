import { isLiveKey, type Variables } from "./environment.server.ts";

/** A variable that conflicts with others. */
export interface Conflict {
  variable: keyof Variables;
  message: string;
}

const UNSET = "must be set";
const SECRETS = [
  ...["AUTH_SECRET", "BACKUP_KEY", "STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
  ...["GOOGLE_CLIENT_SECRET", "FACEBOOK_CLIENT_SECRET"],
] as (keyof Variables)[];

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
    for (const secret of SECRETS)
      reportIf(isGuessable(vars[secret]), secret, "must be a secret, not spaces or one character repeated");
    reportIf((vars.LIMITS_TIMES ?? 1) > 1, "LIMITS_TIMES", "must not be set in production");
    for (const variable of ["HOSTED_APP_JWKS_URL", "APP_CHECK_JWKS_URL", "AUTH_TOKEN_SYNC_URL"] as const) {
      const isUnencrypted = vars[variable]?.startsWith("http:") ?? false;
      reportIf(isUnencrypted, variable, "must start with https: in production");
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

/** Whether a secret is a placeholder: blank, or one character repeated. */
function isGuessable(secret: unknown): boolean {
  return typeof secret === "string" && new Set(secret.replace(/\s/g, "")).size < 2;
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
