import { renderToStaticMarkup } from "react-dom/server";
import { redirect } from "react-router";
import type { FeatureStates } from "../entitlements/features.ts";
import { fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import { wholeResponse } from "../http/whole-body.server.ts";
import { RenderContext } from "../ui/render-context.ts";
import { isSentByScript } from "../ui/sent-by-script.ts";
import type { Route } from "./+types/redeem.ts";
import { PLAN_PROMO_FORM, readRedeemPath, redeemPath } from "./plan-promo-form.ts";
import { PromoForm } from "./promo-form.tsx";
import type { PromoAnswer } from "./promo-form-schema.ts";
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
  const { features } = app;
  const body = renderForm({ around, features: features.current(), answer: answer.data });
  return wholeResponse(body, {
    status: answer.init?.status,
    headers: { ...answer.init?.headers, "Content-Type": "text/html; charset=utf-8" },
  });
}

interface Shown {
  around: ReturnType<typeof readRedeemPath>;
  features: FeatureStates;
  answer: PromoAnswer;
}

/** Those of the last successes. Who redeemed a code in the same transaction gets the same one. */
const recentForms = new Map<string, Buffer<ArrayBuffer>>();
const MOST_RECENT_FORMS = 50;

function renderForm(shown: Shown): Buffer<ArrayBuffer> {
  const { around, features, answer } = shown;
  if (!answer.redeemed || answer.redeemed.isRepeat) return renderAnew(shown);
  const key = JSON.stringify([around, features, answer.redeemed]);
  const form = recentForms.get(key) ?? renderAnew(shown);
  recentForms.set(key, form);
  const [oldest] = recentForms.keys();
  if (oldest !== undefined && recentForms.size > MOST_RECENT_FORMS) recentForms.delete(oldest);
  return form;
}

function renderAnew({ around, features, answer }: Shown): Buffer<ArrayBuffer> {
  return Buffer.from(
    renderToStaticMarkup(
      <RenderContext value={{ isSubmission: true, isSentByScript: true }}>
        <PromoForm
          {...PLAN_PROMO_FORM}
          {...around}
          sendTo={redeemPath(around)}
          features={features}
          answer={answer}
          code={null}
          preview={null}
        />
      </RenderContext>,
    ),
  );
}

/** It is no page: this is the one that has the form. */
export function loader() {
  return redirect(PLAN_PROMO_FORM.page);
}
