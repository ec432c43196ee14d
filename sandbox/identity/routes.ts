import type { Context } from "./context.ts";
import { handleControl } from "./knobs.ts";
import { drawPicture } from "./people.ts";
import { exchangeFacebookCode, showFacebookProfile } from "./providers/facebook.ts";
import {
  describeGoogle,
  exchangeGoogleCode,
  listGoogleKeys,
  showGoogleUserinfo,
} from "./providers/google.ts";
import { authorize } from "./sign-in/authorize.ts";
import { choose } from "./sign-in/chooser.ts";

interface Route {
  methods: string[];
  answer: (context: Context) => Promise<Response>;
}

/** Everything below /sandbox/identity. */
export const ROUTES: [path: string, methods: string[], answer: Route["answer"]][] = [
  ["/google/.well-known/openid-configuration", ["GET"], describeGoogle],
  ["/google/authorize", ["GET"], (context) => authorize("google", context)],
  ["/google/choose", ["POST"], (context) => choose("google", context)],
  ["/google/token", ["POST"], exchangeGoogleCode],
  ["/google/jwks", ["GET"], listGoogleKeys],
  ["/google/userinfo", ["GET", "POST"], showGoogleUserinfo],

  ["/facebook/dialog/oauth", ["GET"], (context) => authorize("facebook", context)],
  ["/facebook/choose", ["POST"], (context) => choose("facebook", context)],
  ["/facebook/oauth/access_token", ["GET", "POST"], exchangeFacebookCode],
  ["/facebook/me", ["GET"], showFacebookProfile],

  ["/picture.svg", ["GET"], drawPicture],
  ["/control", ["GET", "POST"], handleControl],
];

export function findRoute(pathname: string): Route | undefined {
  for (const [path, methods, answer] of ROUTES) if (path === pathname) return { methods, answer };
  return undefined;
}
