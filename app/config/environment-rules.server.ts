import { isLiveKey, type Variables } from "./environment.server.ts";

/** What is wrong with a variable, seen together with the others. */
export interface Complaint {
  variable: keyof Variables;
  message: string;
}

const UNSET = "must be set";
const SECRETS = [
  ...["AUTH_SECRET", "STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
  ...["GOOGLE_CLIENT_SECRET", "FACEBOOK_CLIENT_SECRET"],
] as (keyof Variables)[];

/**
 * Everything that is wrong with the variables together.
 *
 * @param malformed variables that are set but not understood: absent from `vars`, yet nothing to ask for
 */
export function findConflicts(vars: Variables, malformed: ReadonlySet<string>): Complaint[] {
  const isProduction = vars.NODE_ENV === "production";
  const isSet = (variable: keyof Variables) => malformed.has(variable) || Boolean(vars[variable]);
  const complaints: Complaint[] = [];
  const refuse = (isWrong: boolean, variable: keyof Variables, message: string) => {
    if (isWrong && !malformed.has(variable)) complaints.push({ variable, message });
  };

  if (isProduction) {
    refuse(!isSet("PUBLIC_ORIGIN"), "PUBLIC_ORIGIN", UNSET);
    refuse(
      isPublic(vars) && !vars.PUBLIC_ORIGIN?.startsWith("https:"),
      "PUBLIC_ORIGIN",
      "must start with https: in production",
    );
    refuse(!isSet("AUTH_SECRET"), "AUTH_SECRET", UNSET);
    refuse(
      !isSet("DATABASE_URL") && !isSet("EMBEDDED_DATABASE"),
      "DATABASE_URL",
      `${UNSET} in production, or EMBEDDED_DATABASE=on to keep the data in DATA_DIR on this machine`,
    );
    for (const secret of SECRETS)
      refuse(isGuessable(vars[secret]), secret, "must be a secret, not spaces or one character repeated");
    for (const variable of ["HOSTED_APP_JWKS_URL", "AUTH_TOKEN_SYNC_URL"] as const) {
      const isHeard = vars[variable]?.startsWith("http:") ?? false;
      refuse(isHeard, variable, "must start with https: in production");
    }
  } else {
    refuse(
      isPublic(vars) && vars.SANDBOX !== "public",
      "PUBLIC_ORIGIN",
      "people elsewhere can reach this address, where anybody may sign in as anybody and read all mail. " +
        "Set NODE_ENV=production, or, for a demonstration, SANDBOX=public",
    );
    // Outside production anybody may be anybody, and read everybody's mail: that is what the sandboxes are for.
    refuse(
      isLiveKey(vars.STRIPE_SECRET_KEY ?? ""),
      "STRIPE_SECRET_KEY",
      "live keys need NODE_ENV=production",
    );
  }

  // One key without the other would take money and never hear of it, so half a set is an error everywhere.
  for (const [one, other] of [
    ["STRIPE_SECRET_KEY", "STRIPE_WEBHOOK_SECRET"],
    ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
    ["FACEBOOK_CLIENT_ID", "FACEBOOK_CLIENT_SECRET"],
  ] as const) {
    refuse(isSet(one) && !isSet(other), other, `${UNSET}, because ${one} is`);
    refuse(isSet(other) && !isSet(one), one, `${UNSET}, because ${other} is`);
  }
  refuse(
    !isSet("HOSTED_APP_URL") && (vars.SIGN_IN === "redirect" || isSet("HOSTED_APP_JWKS_URL")),
    "HOSTED_APP_URL",
    `${UNSET}, because ${vars.SIGN_IN === "redirect" ? "SIGN_IN=redirect" : "HOSTED_APP_JWKS_URL"} is`,
  );
  refuse(
    isSet("WAITLIST_WIDGET_STYLE_URL") && !isSet("WAITLIST_WIDGET_SCRIPT_URL"),
    "WAITLIST_WIDGET_SCRIPT_URL",
    `${UNSET}, because WAITLIST_WIDGET_STYLE_URL is`,
  );
  return complaints;
}

/** A placeholder: what is left without spaces is nothing, or one character again and again. */
function isGuessable(secret: unknown): boolean {
  return typeof secret === "string" && new Set(secret.replace(/\s/g, "")).size < 2;
}

function isPublic({ PUBLIC_ORIGIN: origin }: Variables): boolean {
  return origin !== undefined && !isLoopback(new URL(origin).hostname);
}

/** Whether a name or address, as it stands in a URL or in HOST, is this machine's own and nobody else's. */
export function isLoopback(hostname: string): boolean {
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/.test(hostname);
}
