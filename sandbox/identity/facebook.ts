import { jsonResponse } from "../web.ts";
import { type Context, isMalformed, readForm } from "./identity.ts";
import { findKept, keep, redeemCode } from "./kept.ts";
import { answerTokenRequest } from "./knobs.ts";

/** How long an access token is valid, in seconds: Facebook's 60 days. */
const ACCESS_SECONDS = 60 * 24 * 3600;

/**
 * Facebook's token endpoint: a code for an access token.
 * https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow#exchangecode
 */
export async function exchangeFacebookCode(context: Context): Promise<Response> {
  const { request, pool, clients } = context;
  const params = await readForm(request);
  const errors = { invalid_client: wrongSecret, invalid_grant: wrongCode };
  return answerTokenRequest("facebook", context, errors, async () => {
    if (isMalformed(params)) return graphError(100, "Invalid parameter");
    const client = clients.facebook;
    if (!client || params.get("client_id") !== client.clientId)
      return graphError(101, "Error validating application. Invalid application ID.");
    if (params.get("client_secret") !== client.clientSecret) return wrongSecret();
    if ((params.get("grant_type") ?? "authorization_code") !== "authorization_code")
      return graphError(100, "Invalid grant_type. Supported types: authorization_code");
    const grant = await redeemCode(pool, "facebook", params);
    if (!grant) return wrongCode();
    return jsonResponse(200, {
      access_token: await keep(pool, "token", "facebook", grant.account, ACCESS_SECONDS),
      token_type: "bearer",
      expires_in: ACCESS_SECONDS,
    });
  });
}

const wrongSecret = () => graphError(101, "Error validating client secret.");
const wrongCode = () => graphError(100, "Error validating verification code.");

/** `/me`, with the fields that are named: https://developers.facebook.com/docs/graph-api/reference/user */
export async function showFacebookProfile({ request, url, pool }: Context): Promise<Response> {
  const account = await findKept(pool, "token", "facebook", bearerToken(request));
  if (!account) return graphError(190, "Invalid OAuth access token - Cannot parse access token");
  const { sub, name, email } = account;
  // What the product may not see is undefined, which JSON leaves out, as Facebook does.
  const known: Record<string, string | undefined> = { id: sub, name, email };
  const asked = (url.searchParams.get("fields") ?? "id,name").split(",");
  const unknown = asked.find((field) => !Object.hasOwn(known, field));
  if (unknown !== undefined)
    return graphError(100, `(#100) Tried accessing nonexisting field (${unknown}) on node type (User)`);
  return jsonResponse(200, Object.fromEntries(asked.map((field) => [field, known[field]])));
}

/** An error of the Graph API: https://developers.facebook.com/docs/graph-api/guides/error-handling */
function graphError(code: 100 | 101 | 190, message: string): Response {
  return jsonResponse(400, { error: { message, type: "OAuthException", code } });
}

/** The token in the Authorization header (RFC 6750 §2.1). */
function bearerToken(request: Request): string {
  return /^Bearer +(\S+) *$/i.exec(request.headers.get("authorization") ?? "")?.[1] ?? "";
}
