import { bearerToken, findAccount } from "../access-tokens.ts";
import { json } from "../answer.ts";
import type { Call } from "../context.ts";
import type { Account } from "../people.ts";
import { facebookError } from "./facebook-error.ts";

/** `/me`, with the fields that are named: https://developers.facebook.com/docs/graph-api/reference/user */
export async function answerFacebookProfile({ request, url, pool }: Call): Promise<Response> {
  const token = bearerToken(request, url.searchParams.get("access_token") ?? "");
  const account = token.includes("\0") ? undefined : await findAccount(pool, "facebook", token);
  if (!account) return facebookError(190, "Invalid OAuth access token - Cannot parse access token");
  const shown = profileOf(account);
  const profile: Record<string, unknown> = { id: shown.id };
  for (const field of (url.searchParams.get("fields") ?? "id,name").split(",")) {
    if (!Object.hasOwn(shown, field))
      return facebookError(100, `(#100) Tried accessing nonexisting field (${field}) on node type (User)`);
    profile[field] = shown[field as keyof typeof shown];
  }
  return json(200, profile);
}

/** What is not there to be seen is `undefined`, which JSON leaves out, as Facebook does. */
function profileOf({ sub, name, email, picture }: Account) {
  return { id: sub, name, email, picture: { data: { url: picture } } };
}
