import { data, type RouterContextProvider } from "react-router";
import { fromContext } from "../http/context.server.ts";

/** Guards the actions of sign-in and sign-up. @throws the 405 page when SIGN_IN=redirect leaves both to the hosted app */
export function requireLocalSignIn(context: Readonly<RouterContextProvider>): void {
  const { hostedAppUrl } = fromContext(context).app.config.site;
  if (hostedAppUrl !== null) throw data(null, { status: 405 });
}
