import { jsonResponse } from "../web.ts";
import { type Context, isMalformed, readForm } from "./identity.ts";
import { applyTokenKnobs } from "./knobs.ts";
import type { Account } from "./people.ts";
import { bearerToken, findAccount, isBoundTo, issueAccessToken, redeemCode } from "./tokens.ts";

/** How long an access token is valid, in seconds: Facebook's 60 days. */
const ACCESS_SECONDS = 60 * 24 * 3600;

/**
 * Facebook's token endpoint: a code for an access token.
 * https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow#exchangecode
 */
export async function exchangeFacebookCode(context: Context): Promise<Response> {
  const { request, url, pool, clients, log } = context;
  const params = request.method === "GET" ? url.searchParams : await readForm(request);
  return applyTokenKnobs(context, { invalid_client: wrongSecret, invalid_grant: wrongCode }, exchange);

  async function exchange(): Promise<Response> {
    if (isMalformed(params)) return graphError(100, "Invalid parameter");
    const client = clients.facebook;
    if (!client || params.get("client_id") !== client.clientId)
      return graphError(101, "Error validating application. Invalid application ID.");
    if (params.get("client_secret") !== client.clientSecret) return wrongSecret();
    if ((params.get("grant_type") ?? "authorization_code") !== "authorization_code")
      return graphError(100, "Invalid grant_type. Supported types: authorization_code");
    const grant = await redeemCode(pool, "facebook", params.get("code") ?? "");
    if (!grant || !isBoundTo(grant, params, client.clientId)) return wrongCode();
    log("Identity sandbox: facebook exchanged a code");
    return jsonResponse(200, {
      access_token: await issueAccessToken(pool, "facebook", grant.account, ACCESS_SECONDS),
      token_type: "bearer",
      expires_in: ACCESS_SECONDS,
    });
  }

  function wrongSecret(): Response {
    log("Identity sandbox: facebook rejected a client");
    return graphError(101, "Error validating client secret.");
  }

  function wrongCode(): Response {
    log("Identity sandbox: facebook rejected a code");
    return graphError(100, "Error validating verification code.");
  }
}

/** `/me`, with the fields that are named: https://developers.facebook.com/docs/graph-api/reference/user */
export async function showFacebookProfile({ request, url, pool }: Context): Promise<Response> {
  const token = bearerToken(request, url.searchParams.get("access_token") ?? "");
  const account = token.includes("\0") ? undefined : await findAccount(pool, "facebook", token);
  if (!account) return graphError(190, "Invalid OAuth access token - Cannot parse access token");
  const fields = fieldsOf(account);
  const profile: Record<string, unknown> = { id: fields.id };
  for (const field of (url.searchParams.get("fields") ?? "id,name").split(",")) {
    if (!Object.hasOwn(fields, field))
      return graphError(100, `(#100) Tried accessing nonexisting field (${field}) on node type (User)`);
    profile[field] = fields[field as keyof typeof fields];
  }
  return jsonResponse(200, profile);
}

/** A field the product may not see is `undefined`, which JSON leaves out, as Facebook does. */
function fieldsOf({ sub, name, email, picture }: Account) {
  return { id: sub, name, email, picture: { data: { url: picture } } };
}

/** An error of the Graph API: https://developers.facebook.com/docs/graph-api/guides/error-handling */
function graphError(code: 100 | 101 | 190, message: string): Response {
  return jsonResponse(400, { error: { message, type: "OAuthException", code } });
}
