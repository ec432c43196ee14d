import { data, type RouterContextProvider } from "react-router";
import { fromContext } from "../http/context.server.ts";

/** For what signs people in or up here. @throws the 405 page when people do that at the hosted app (SIGN_IN=redirect) */
export function requireLocalSignIn(context: Readonly<RouterContextProvider>): void {
  const { hostedAppUrl } = fromContext(context).app.config.site;
  if (hostedAppUrl !== null) throw data(null, { status: 405 });
}
