import { renderToStaticMarkup } from "react-dom/server";
import { markOfRequest } from "../auth/other-account.server.ts";
import { type Asker, timeZoneOf } from "../auth/session.server.ts";
import type { FeatureStates } from "../entitlements/features.ts";
import { fromContext } from "../http/context.server.ts";
import { RenderContext } from "../ui/render-context.ts";
import { PLAN_PROMO_FORM, type readRedeemPath, redeemPath } from "./plan-promo-form.ts";
import { PromoForm } from "./promo-form.tsx";
import type { PromoAnswer } from "./promo-form-schema.ts";
import { redeemAction } from "./redeem-action.server.ts";

/** What it is sent as. */
export const FORM_TYPE = "text/html; charset=utf-8";

/**
 * Redeems a code for the script of /subscription, and answers with the form as that page shows it afterwards.
 *
 * @throws a redirect to /login when signed out
 */
export async function redeemAndRender(
  args: Asker,
  form: FormData | URLSearchParams,
  around: ReturnType<typeof readRedeemPath>,
): Promise<{ status: number; headers: Record<string, string>; body: Buffer<ArrayBuffer> }> {
  const { data: answer, init } = await redeemAction(args, form, PLAN_PROMO_FORM.page);
  const { app, state } = fromContext(args.context);
  const { features } = app;
  const timeZone = await timeZoneOf(state);
  const shown = { around, features: features.current(), answer, timeZone };
  const body = renderForm(shown, await markOfRequest(args, true));
  return { status: init?.status ?? 200, headers: Object.fromEntries(new Headers(init?.headers)), body };
}

interface Shown {
  around: ReturnType<typeof readRedeemPath>;
  features: FeatureStates;
  answer: PromoAnswer;
  timeZone: string | null;
}

/** Stands for the mark of the account, which is each one's own. */
const ANY_MARK = "any-mark";

/** Those of the last successes. Who redeemed a code in the same transaction gets the same one. */
const recentForms = new Map<string, string>();
const MOST_RECENT_FORMS = 50;

function renderForm(shown: Shown, accountMark = ""): Buffer<ArrayBuffer> {
  const { around, features, answer, timeZone } = shown;
  if (!answer.redeemed || answer.redeemed.isRepeat) return Buffer.from(renderAnew(shown, accountMark));
  const key = JSON.stringify([around, features, answer.redeemed, timeZone]);
  const form = recentForms.get(key) ?? renderAnew(shown, ANY_MARK);
  recentForms.set(key, form);
  const [oldest] = recentForms.keys();
  if (oldest !== undefined && recentForms.size > MOST_RECENT_FORMS) recentForms.delete(oldest);
  return Buffer.from(form.replaceAll(`"${ANY_MARK}"`, `"${accountMark}"`));
}

function renderAnew({ around, features, answer, timeZone }: Shown, accountMark: string): string {
  return renderToStaticMarkup(
    <RenderContext value={{ isSubmission: true, isSentByScript: true, accountMark, timeZone }}>
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
  );
}
