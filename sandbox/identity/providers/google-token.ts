import { giveAccessToken } from "../access-tokens.ts";
import { json } from "../answer.ts";
import { isBoundTo } from "../code-binding.ts";
import { takeCode } from "../codes.ts";
import type { Call } from "../context.ts";
import { isAmbiguous, readForm } from "../read-form.ts";
import { answerToken } from "../token-answer.ts";
import { readClient } from "./client-credentials.ts";
import { signIdToken } from "./id-token.ts";

/** How long an access token lives, in seconds, as Google counts. */
const ACCESS_SECONDS = 3599;

/** Google's token endpoint: a code for an ID token. Refuses as RFC 6749 §5.2 says. */
export async function exchangeGoogleCode(call: Call): Promise<Response> {
  const { request, pool, clients, log } = call;
  const form = await readForm(request);
  return answerToken(call, { invalid_client: invalidClient, invalid_grant: invalidGrant }, exchange);

  async function exchange(): Promise<Response> {
    if (isAmbiguous(form)) return refuse("invalid_request", "A parameter is repeated or unreadable.");
    const client = readClient(request, form);
    if (!client) return refuse("invalid_request", "The client must identify itself in one way.");
    const { clientId, clientSecret } = clients.google;
    if (client.id !== clientId || client.secret !== clientSecret) return invalidClient();
    if (!form.has("grant_type")) return refuse("invalid_request", "Missing required parameter: grant_type");
    if (form.get("grant_type") !== "authorization_code")
      return refuse("unsupported_grant_type", "Invalid grant_type.");
    const code = form.get("code");
    if (!code) return refuse("invalid_request", "Missing required parameter: code");
    const grant = await takeCode(pool, "google", code);
    if (!grant || !isBoundTo(grant, form, clientId)) return invalidGrant();
    log("Identity sandbox: google exchanged a code");
    return json(200, {
      access_token: await giveAccessToken(pool, "google", grant.account, ACCESS_SECONDS),
      expires_in: ACCESS_SECONDS,
      scope: grant.request.scope,
      token_type: "Bearer",
      id_token: await signIdToken(grant, call),
    });
  }

  function invalidClient(): Response {
    log("Identity sandbox: google refused a client");
    const body = { error: "invalid_client", error_description: "Unauthorized" };
    // Only who tried a header is told of headers (RFC 6749 §5.2).
    const asksForHeader = request.headers.has("authorization");
    return json(401, body, asksForHeader ? { "www-authenticate": 'Basic realm="google"' } : {});
  }

  function invalidGrant(): Response {
    log("Identity sandbox: google refused a code");
    return refuse("invalid_grant", "Bad Request");
  }
}

function refuse(error: string, description: string): Response {
  return json(400, { error, error_description: description });
}
