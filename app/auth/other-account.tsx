import { data, redirect } from "react-router";
import { fromContext } from "../http/context.server.ts";
import { privateFormHeaders } from "../ui/private-page.tsx";
import type { RouteHandle } from "../ui/route-handle.ts";
import type { Route } from "./+types/other-account.ts";
import { markAccount, REOPEN_FIELD } from "./account-mark.server.ts";
import { type OtherAccountAnswer, OtherAccountNotice } from "./other-account-notice.tsx";

/** Served at the address of the form, where the router would look for another page. */
export const handle: RouteHandle = { hydrate: false, styles: "account" };

export const headers = privateFormHeaders;

/** Requested directly, it has nothing to show. */
export async function loader(args: Route.LoaderArgs) {
  return data(await readAnswer(args), { status: 409 });
}

/** For a form sent by the router: its page shows this as an error. */
export async function action(args: Route.ActionArgs): Promise<never> {
  throw data(await readAnswer(args), { status: 409 });
}

async function readAnswer({ context }: Route.LoaderArgs | Route.ActionArgs): Promise<OtherAccountAnswer> {
  const { app, state } = fromContext(context);
  const user = (await state.session)?.user;
  if (!state.otherAccount || !user) throw redirect("/account");
  return { ...state.otherAccount, reopen: REOPEN_FIELD, mark: markAccount(app.config.authSecret, user) };
}

export default function OtherAccount({ loaderData }: Route.ComponentProps) {
  return <OtherAccountNotice {...loaderData} />;
}
