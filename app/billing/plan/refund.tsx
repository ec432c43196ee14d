import { data, redirect } from "react-router";
import { z } from "zod";
import { requireUser } from "../../auth/session.server.ts";
import { refundTerms, useFeatures } from "../../entitlements/features.ts";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { FormattedDate } from "../../ui/formatted-date.tsx";
import { formatMoney } from "../plans.ts";
import type { Route } from "./+types/refund.ts";
import { askForPlan, readFields } from "./ask.server.ts";
import { notDone } from "./plan-form.ts";
import { readPlanOverview } from "./plan-overview.server.ts";
import { BackToDashboard, NotDoneNotice, PlanPage } from "./plan-page.tsx";
import { isOver } from "./states.ts";

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader(args: Route.LoaderArgs) {
  const user = await requireUser(args);
  const { app } = fromContext(args.context);
  const plan = await readPlanOverview(app, user.id);
  if (!plan || isOver(plan.status)) throw redirect("/dashboard");
  return { plan };
}

/** `total`: what the page said is paid back, in minor units. */
const REFUND_FIELDS = { total: z.string().regex(/^\d{1,12}$/) };

export async function action(args: Route.ActionArgs) {
  const user = await requireUser(args);
  const fields = readFields(await readForm(args.request), REFUND_FIELDS);
  if (!fields) throw data(null, { status: 400 });
  const { app } = fromContext(args.context);
  const plan = await readPlanOverview(app, user.id);
  if (plan?.refundable?.total !== Number(fields.total)) {
    const message =
      "Nothing was changed yet, because the amount is another by now. Please look at it once more.";
    return data({ message }, { status: 409 });
  }
  const asked = await askForPlan(app, user.id, { kind: "refund" });
  if (!asked.ok) return data(...notDone(asked));
  throw redirect("/dashboard", 303);
}

export default function Refund({ loaderData: { plan }, actionData }: Route.ComponentProps) {
  const { name, refundable, price } = plan;
  const features = useFeatures();
  if (!refundable) {
    return (
      <PlanPage title="No refund left">
        <NotDoneNotice answer={actionData} />
        <p>{`There is nothing to pay back for ${name} any more. ${refundTerms(plan.tier, features)}`}</p>
        <p>
          You can still <a href="/subscription/cancel">cancel the plan</a>: you keep it until{" "}
          <FormattedDate instant={plan.currentPeriodEnd} />.
        </p>
        <BackToDashboard />
      </PlanPage>
    );
  }
  const total = formatMoney(refundable.total, price.currency);
  return (
    <PlanPage title={`Refund ${name}`}>
      <NotDoneNotice answer={actionData} />
      <ul className="list">
        <li>{`You get ${total} back, the way you paid. Banks take up to ten days to show it.`}</li>
        <li>{`${name} ends right away, and nothing more is charged.`}</li>
        <li>Your account and everything you saved in it stay. You can subscribe again any time.</li>
        {refundable.until && (
          <li>
            You can have all of it back until <FormattedDate instant={refundable.until} />.
          </li>
        )}
      </ul>
      <form method="post" className="flex flex-wrap gap-4">
        <input type="hidden" name="total" value={refundable.total} />
        <SubmitButton isDangerous pendingLabel="Refunding…">
          {`Refund ${total} and end my plan`}
        </SubmitButton>
        <ButtonLink href="/dashboard" isQuiet>
          Keep my plan
        </ButtonLink>
      </form>
    </PlanPage>
  );
}
