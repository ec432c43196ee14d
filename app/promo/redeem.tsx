import { redirect } from "react-router";
import { readForm } from "../http/form.server.ts";
import { wholeResponse } from "../http/whole-body.server.ts";
import { isSentByScript } from "../ui/sent-by-script.ts";
import type { Route } from "./+types/redeem.ts";
import { PLAN_PROMO_FORM, readRedeemPath } from "./plan-promo-form.ts";
import { FORM_TYPE, redeemAndRender } from "./redeem-form.server.tsx";

/**
 * Where the script of /subscription sends codes, for no more than that form again. Rendering the page takes longer than all the rest,
 * and when a code becomes known everybody comes at once: most never get here, but are answered at an entrance of their own. Without
 * scripts the page itself answers.
 */
export async function action(args: Route.ActionArgs) {
  // A browser by itself sends it on, as it is.
  if (!isSentByScript(args.request)) return redirect(PLAN_PROMO_FORM.page, 307);
  const around = readRedeemPath(new URL(args.request.url));
  const { body, ...init } = await redeemAndRender(args, await readForm(args.request), around);
  return wholeResponse(body, { ...init, headers: { ...init.headers, "Content-Type": FORM_TYPE } });
}

/** It is no page: this is the one that has the form. */
export function loader() {
  return redirect(PLAN_PROMO_FORM.page);
}
