import type { Variables } from "./environment.server.ts";

/** A hosted app that hands its signed-in users over to us. */
export interface HandoffConfig {
  jwksUrl: string;
  issuer: string;
  audience: string;
  /** The origin of the page that posts the handoff. */
  origin: string;
  loginUrl: string;
}

/** `null`: handoffs are not configured. */
export function handoffFrom(vars: Variables, publicOrigin: string): HandoffConfig | null {
  const { HOSTED_APP_JWKS_URL: jwksUrl, HOSTED_APP_URL: url } = vars;
  if (!jwksUrl || !url) return null;
  const { origin } = new URL(url);
  return {
    jwksUrl,
    issuer: vars.HOSTED_APP_ISSUER ?? origin,
    audience: vars.HOSTED_APP_AUDIENCE ?? publicOrigin,
    origin,
    loginUrl: `${url.replace(/\/$/, "")}/login`,
  };
}

/** Who signs the App Check tokens of the operator's apps. */
export interface AppCheckConfig {
  jwksUrl: string;
  issuer: string;
  audience: string;
}

/** `null`: callable functions take calls from any app. */
export function appCheckFrom(vars: Variables): AppCheckConfig | null {
  const { APP_CHECK_JWKS_URL: jwksUrl, APP_CHECK_ISSUER: issuer } = vars;
  if (!jwksUrl || !issuer) return null;
  return { jwksUrl, issuer, audience: vars.APP_CHECK_AUDIENCE ?? `projects/${projectIdFrom(vars)}` };
}

/** What programs call this installation. */
export function projectIdFrom(vars: Variables): string {
  return vars.PROJECT_ID ?? slugOf(vars.PRODUCT_NAME);
}

/** A name as an identifier: "Own Wörter" becomes own-worter. */
function slugOf(name: string): string {
  const withoutAccents = name.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
  return withoutAccents.replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "site";
}
