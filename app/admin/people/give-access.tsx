import { randomUUID } from "node:crypto";
import { data, redirect } from "react-router";
import { z } from "zod";
import { findUser } from "../../auth/users.server.ts";
import { currentSubscription } from "../../entitlements/subscription.server.ts";
import { isTier, PLAN_NAMES, TIERS } from "../../entitlements/tiers.ts";
import { failure } from "../../http/errors.ts";
import { submitForm } from "../../http/submit-form.server.ts";
import { accessToGive, giveAccess } from "../../promo/given-access.server.ts";
import { describeDuration } from "../../promo/rules.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { ChoiceField, Field } from "../../ui/field.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { useRouteForm } from "../../ui/route-form.ts";
import { Beside, ConsolePage, Facts } from "../console-page.tsx";
import { requireFreshOperator } from "../operator.server.ts";
import { useTypedForm } from "../use-typed-form.ts";
import type { Route } from "./+types/give-access.ts";
import { HeldPlan } from "./person-words.tsx";

/** The form's number becomes the grant's id: sent twice, it gives once. */
const giveForm = accessToGive.safeExtend({ grant: z.uuid() });

export async function loader(args: Route.LoaderArgs) {
  const { db } = await requireFreshOperator(args);
  const person = await findUser(db, args.params.id);
  if (!person) throw data(null, { status: 404 });
  const plan = await currentSubscription(db, person.id);
  return { id: person.id, name: person.name, email: person.email, plan, grant: randomUUID() };
}

export async function action(args: Route.ActionArgs) {
  const { id } = args.params;
  return submitForm(args, {
    schema: giveForm,
    failure: "access could not be given",
    sender: requireFreshOperator,
    async work({ grant, ...access }, { db, operator }) {
      const outcome = await giveAccess(db, operator, id, grant, access);
      if (outcome === "no_account") return failure(404, "The account is gone");
      return redirect(`/admin/people/${id}?said=${outcome}`, 303);
    },
  });
}

const PLANS = TIERS.map((tier) => ({ value: tier, label: PLAN_NAMES[tier] }));

export default function GiveAccess({ loaderData, actionData }: Route.ComponentProps) {
  const { id, name, email, plan, grant } = loaderData;
  const { form, fields, formProps } = useRouteForm<typeof giveForm>(actionData, {
    id: "give",
    defaultValue: { tier: TIERS[TIERS.length - 1], grant },
  });
  const { typed, watched } = useTypedForm();
  return (
    <ConsolePage
      title={`Give access: ${name || email}`}
      above={{ href: `/admin/people/${id}`, label: email }}
    >
      {!form.valid && <ErrorSummary title="Nothing was given" form={form} hiddenFields={["grant"]} />}
      <Beside
        title="What it does"
        aside={
          <>
            <Facts
              facts={[
                ["They have now", <HeldPlan key="now" plan={plan} />],
                typed && ["They get", giftOf(typed)],
              ]}
            />
            <ul className="list">
              <li>
                They get it immediately, beside anything they pay for or redeemed. It adds nothing while they
                have a plan as good.
              </li>
              <li>They aren’t emailed.</li>
              <li>You can revoke it on their page any time.</li>
            </ul>
          </>
        }
      >
        <PostForm {...formProps} {...watched} className="console-form">
          <ChoiceField none="Choose one" field={fields.tier} label="Plan" choices={PLANS} />
          <div className="grid gap-4 md:grid-cols-2">
            <Field
              field={fields.months}
              label="Months"
              hint="Leave blank for 1 month."
              input={{ inputMode: "numeric", autoComplete: "off", placeholder: "1" }}
            />
            <Field
              field={fields.lastDay}
              label="Or end on this date"
              hint="In UTC."
              input={{ type: "date", autoComplete: "off" }}
            />
          </div>
          <Field
            field={fields.reason}
            label="Reason"
            hint="Goes in the audit log and in their data export. Leave out names."
            input={{ autoComplete: "off" }}
          />
          <input type="hidden" name="grant" value={fields.grant.initialValue ?? grant} />
          <SubmitButton pendingLabel="Giving…">Give access</SubmitButton>
        </PostForm>
      </Beside>
    </ConsolePage>
  );
}

/** "CSV + Banking for 3 months" */
function giftOf(typed: FormData): string {
  const [tier, months, lastDay] = ["tier", "months", "lastDay"].map((name) => String(typed.get(name) ?? ""));
  const name = isTier(tier) ? PLAN_NAMES[tier] : "No plan is chosen";
  if (lastDay) return `${name} until the end of ${lastDay} (UTC)`;
  return `${name} for ${describeDuration({ durationType: "months", durationMonths: Number(months || 1) })}`;
}
