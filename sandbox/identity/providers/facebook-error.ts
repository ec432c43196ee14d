import { json } from "../answer.ts";

/** How the Graph API refuses: https://developers.facebook.com/docs/graph-api/guides/error-handling */
export function facebookError(code: 100 | 101 | 190, message: string): Response {
  return json(400, { error: { message, type: "OAuthException", code } });
}
