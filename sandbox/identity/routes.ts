import { authorize } from "./authorize.ts";
import type { Call } from "./call.ts";
import { choose } from "./choose.ts";
import { handleControl } from "./control.ts";
import { answerFacebookProfile } from "./facebook-profile.ts";
import { exchangeFacebookCode } from "./facebook-token.ts";
import { answerGoogleUserinfo, describeGoogle, listGoogleKeys } from "./google.ts";
import { exchangeGoogleCode } from "./google-token.ts";
import { drawPicture } from "./picture.ts";

interface Route {
  methods: string[];
  answer: (call: Call) => Promise<Response>;
}

/** Everything below /sandbox/identity. */
export const routes: [path: string, methods: string[], answer: Route["answer"]][] = [
  ["/google/.well-known/openid-configuration", ["GET"], describeGoogle],
  ["/google/authorize", ["GET"], (call) => authorize("google", call)],
  ["/google/choose", ["POST"], (call) => choose("google", call)],
  ["/google/token", ["POST"], exchangeGoogleCode],
  ["/google/jwks", ["GET"], listGoogleKeys],
  ["/google/userinfo", ["GET", "POST"], answerGoogleUserinfo],

  ["/facebook/dialog/oauth", ["GET"], (call) => authorize("facebook", call)],
  ["/facebook/choose", ["POST"], (call) => choose("facebook", call)],
  ["/facebook/oauth/access_token", ["GET", "POST"], exchangeFacebookCode],
  ["/facebook/me", ["GET"], answerFacebookProfile],

  ["/picture.svg", ["GET"], drawPicture],
  ["/control", ["GET", "POST"], handleControl],
];

export function findRoute(asked: string): Route | undefined {
  for (const [path, methods, answer] of routes) if (path === asked) return { methods, answer };
  return undefined;
}
