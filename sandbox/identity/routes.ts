import type { Call } from "./context.ts";
import { handleControl } from "./control.ts";
import { drawPicture } from "./picture.ts";
import { exchangeFacebookCode } from "./providers/facebook.ts";
import { answerFacebookProfile } from "./providers/facebook-profile.ts";
import { answerGoogleUserinfo, describeGoogle, listGoogleKeys } from "./providers/google.ts";
import { exchangeGoogleCode } from "./providers/google-token.ts";
import { authorize } from "./sign-in/authorize.ts";
import { choose } from "./sign-in/chooser.ts";

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
