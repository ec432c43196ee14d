import { data, redirect } from "react-router";
import { z } from "zod";
import { requireUser } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { parseForm } from "../../http/form.server.ts";
import { sendPress } from "../../ui/send-form.ts";
import type { Route } from "./+types/cancel.ts";
import { requestPlanChange } from "./apply-plan-change.server.ts";
import { CancelForm, COMMENT_MAX_LENGTH } from "./cancel-form.tsx";
import { readPlanOverview } from "./plan-overview.server.ts";
import { failureResponse, PlanPage } from "./plan-page.tsx";
import { isOver } from "./rules.ts";

/** At Stripe, which fixes the keys. */
const FEEDBACK = {
  too_expensive: "It costs too much",
  missing_features: "A feature I need is missing",
  unused: "I don’t use it enough",
  switched_service: "I found something else",
  too_complex: "It’s too hard to use",
  low_quality: "It didn’t work well",
  customer_service: "The support wasn’t good",
  other: "Something else",
} as const;

/** The comment may exceed its limit by far, so that the typed text is kept. */
const CANCEL_FIELDS = {
  reason: z.enum(["", ...Object.keys(FEEDBACK)]).default(""),
  comment: z.string().max(20_000).default(""),
};

export async function loader(args: Route.LoaderArgs) {
  const user = await requireUser(args);
  const { app } = fromContext(args.context);
  const plan = await readPlanOverview(app, user.id);
  if (!plan || isOver(plan.status) || plan.cancelAt) throw redirect("/dashboard");
  return { plan, reasons: Object.entries(FEEDBACK) };
}

export async function action(args: Route.ActionArgs) {
  const user = await requireUser(args);
  const fields = await parseForm(args.request, CANCEL_FIELDS);
  const comment = fields.comment.replaceAll("\r\n", "\n").trim();
  if (comment.length > COMMENT_MAX_LENGTH) {
    const message = `Nothing was canceled yet. Keep what you write to ${COMMENT_MAX_LENGTH} characters: there are ${comment.length}.`;
    return data({ message, typed: fields, isTooLong: true }, { status: 400 });
  }
  const { app } = fromContext(args.context);
  const request = { kind: "cancel", reason: fields.reason || null, comment: comment || null } as const;
  const asked = await requestPlanChange(app, user.id, request);
  if (asked.ok) return redirect("/dashboard", 303);
  const [answer, init] = failureResponse(asked);
  return data({ ...answer, typed: fields, isTooLong: false }, init);
}

export const clientAction = sendPress;

export default function Cancel({ loaderData, actionData }: Route.ComponentProps) {
  return (
    <PlanPage title={`Cancel ${loaderData.plan.name}`}>
      <CancelForm {...loaderData} answer={actionData} />
    </PlanPage>
  );
}
