import { renderToStaticMarkup } from "react-dom/server";
import { redirect } from "react-router";
import { fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import { wholeResponse } from "../http/whole-body.server.ts";
import { RenderContext } from "../ui/render-context.ts";
import { isSentByScript } from "../ui/sent-by-script.ts";
import type { Route } from "./+types/redeem.ts";
import { PLAN_PROMO_FORM, readRedeemPath, redeemPath } from "./plan-promo-form.ts";
import { PromoForm } from "./promo-form.tsx";
import { redeemAction } from "./redeem-action.server.ts";

/**
 * Redeems a code for the script of /subscription, and answers with the form as that page shows it afterwards.
 * Rendering the page takes longer than all the rest, and when a code becomes known everybody comes at once. Without scripts the
 * page itself answers.
 */
export async function action(args: Route.ActionArgs) {
  // A browser by itself sends it on, as it is.
  if (!isSentByScript(args.request)) return redirect(PLAN_PROMO_FORM.page, 307);
  const { app } = fromContext(args.context);
  const around = readRedeemPath(new URL(args.request.url));
  const answer = await redeemAction(args, await readForm(args.request), PLAN_PROMO_FORM.page);
  const form = renderToStaticMarkup(
    <RenderContext value={{ isSubmission: true, isSentByScript: true }}>
      <PromoForm
        {...PLAN_PROMO_FORM}
        {...around}
        sendTo={redeemPath(around)}
        features={app.features.current()}
        answer={answer.data}
        code={null}
        preview={null}
      />
    </RenderContext>,
  );
  return wholeResponse(Buffer.from(form), {
    status: answer.init?.status,
    headers: { ...answer.init?.headers, "Content-Type": "text/html; charset=utf-8" },
  });
}

/** It is no page: this is the one that has the form. */
export function loader() {
  return redirect(PLAN_PROMO_FORM.page);
}
