import { giveAccessToken } from "../access-tokens.ts";
import { json } from "../answer.ts";
import { isBoundTo } from "../code-binding.ts";
import { takeCode } from "../codes.ts";
import type { Call } from "../context.ts";
import { isAmbiguous, readForm } from "../read-form.ts";
import { answerToken } from "../token-answer.ts";
import { facebookError } from "./facebook-error.ts";

/** How long an access token lives, in seconds: Facebook's 60 days. */
const ACCESS_SECONDS = 60 * 24 * 3600;

/**
 * Facebook's token endpoint: a code for an access token.
 * https://developers.facebook.com/docs/facebook-login/guides/advanced/manual-flow#exchangecode
 */
export async function exchangeFacebookCode(call: Call): Promise<Response> {
  const { request, url, pool, clients, log } = call;
  const params = request.method === "GET" ? url.searchParams : await readForm(request);
  return answerToken(call, { invalid_client: wrongSecret, invalid_grant: wrongCode }, exchange);

  async function exchange(): Promise<Response> {
    if (isAmbiguous(params)) return facebookError(100, "Invalid parameter");
    const { clientId, clientSecret } = clients.facebook;
    if (params.get("client_id") !== clientId)
      return facebookError(101, "Error validating application. Invalid application ID.");
    if (params.get("client_secret") !== clientSecret) return wrongSecret();
    if ((params.get("grant_type") ?? "authorization_code") !== "authorization_code")
      return facebookError(100, "Invalid grant_type. Supported types: authorization_code");
    const grant = await takeCode(pool, "facebook", params.get("code") ?? "");
    if (!grant || !isBoundTo(grant, params, clientId)) return wrongCode();
    log("Identity sandbox: facebook exchanged a code");
    return json(200, {
      access_token: await giveAccessToken(pool, "facebook", grant.account, ACCESS_SECONDS),
      token_type: "bearer",
      expires_in: ACCESS_SECONDS,
    });
  }

  function wrongSecret(): Response {
    log("Identity sandbox: facebook refused a client");
    return facebookError(101, "Error validating client secret.");
  }

  function wrongCode(): Response {
    log("Identity sandbox: facebook refused a code");
    return facebookError(100, "Error validating verification code.");
  }
}
