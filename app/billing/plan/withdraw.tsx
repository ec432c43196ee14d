import { randomUUID } from "node:crypto";
import { parseWithZod } from "@conform-to/zod/v4";
import { data, redirect } from "react-router";
import { z } from "zod";
import { emailAddress, personName } from "../../auth/person-fields.server.ts";
import { requireUser } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { readForm } from "../../http/form.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { Field } from "../../ui/field.tsx";
import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { type FormAnswer, useRouteForm } from "../../ui/route-form.ts";
import { SupportLink } from "../../ui/support-link.tsx";
import { withdrawalMessage } from "../notices/payment-messages.ts";
import { formatMoney } from "../plans.ts";
import { withdrawals } from "../schema.ts";
import type { BillingApp } from "../stripe.server.ts";
import type { Route } from "./+types/withdraw.ts";
import { requestPlanChange } from "./apply-plan-change.server.ts";
import { readPlanOverview } from "./plan-overview.server.ts";
import { BackToDashboard, FailureNotice, failureResponse, PlanPage } from "./plan-page.tsx";

export async function loader(args: Route.LoaderArgs) {
  const user = await requireUser(args);
  const { app } = fromContext(args.context);
  if (!app.config.site.withdrawal) throw redirect("/dashboard");
  const plan = await readPlanOverview(app, user.id);
  return {
    plan: plan?.withdrawUntil
      ? {
          name: plan.name,
          id: plan.subscriptionId,
          until: plan.withdrawUntil,
          total: formatMoney(plan.withdrawTotal, plan.price.currency),
        }
      : null,
    person: { name: user.name, email: user.email },
  };
}

const statementForm = z.strictObject({
  name: personName,
  email: emailAddress,
  confirm: z.literal("1").optional(),
});

type Statement = Pick<z.output<typeof statementForm>, "name" | "email">;

interface Answer {
  result: FormAnswer;
  message?: string;
  stated?: Statement;
}

export async function action(args: Route.ActionArgs) {
  const user = await requireUser(args);
  const submission = parseWithZod(await readForm(args.request), { schema: statementForm });
  const result = submission.reply();
  if (submission.status !== "success") return data<Answer>({ result }, { status: 400 });
  const { confirm, ...stated } = submission.value;
  if (!confirm) return data<Answer>({ result, stated });
  const { app } = fromContext(args.context);
  if (!app.config.site.withdrawal) throw redirect("/dashboard", 303);
  const withdrawn = await withdraw(app, user.id, stated);
  if (withdrawn.ok) throw redirect("/dashboard", 303);
  const [answer, init] = failureResponse(withdrawn);
  return data<Answer>({ ...answer, result, stated }, init);
}

export default function Withdraw({ loaderData: { plan, person }, actionData }: Route.ComponentProps) {
  if (!plan) {
    return (
      <PlanPage title="Withdraw from contract">
        <FailureNotice message={actionData?.message} />
        <p>
          There is no contract you can withdraw from here: the right holds for 14 days from the first payment
          for a plan. Questions? Email <SupportLink />.
        </p>
        <BackToDashboard />
      </PlanPage>
    );
  }
  return (
    <PlanPage title={actionData?.stated ? "Confirm your withdrawal" : "Withdraw from contract"}>
      <FailureNotice message={actionData?.message} />
      {actionData?.stated ? (
        <Confirmation plan={plan} statement={actionData.stated} />
      ) : (
        <StatementForm plan={plan} person={person} answer={actionData?.result} />
      )}
    </PlanPage>
  );
}

type Contract = NonNullable<Route.ComponentProps["loaderData"]["plan"]>;

function StatementForm(props: { plan: Contract; person: Statement; answer?: FormAnswer }) {
  const { plan, person, answer } = props;
  const { fields, formProps } = useRouteForm<typeof statementForm>(answer, { defaultValue: person });
  return (
    <>
      <p>
        If you’re a consumer in the EU, the EEA or the UK, you can withdraw from your contract for {plan.name}{" "}
        until <FormattedEnd instant={new Date(plan.until.getTime() - 1)} />, without giving a reason. The plan
        ends right away, and you get back everything you paid for it.
      </p>
      <PostForm {...formProps} className="grid gap-5 w-full max-w-[27rem]">
        <Field
          field={fields.name}
          label="Your name"
          input={{ autoComplete: "name", autoFocus: fields.name.errors !== undefined }}
        />
        <Field
          field={fields.email}
          label="Email address for the receipt"
          input={{ type: "email", autoComplete: "email", autoFocus: fields.email.errors !== undefined }}
        />
        <p className="text-quiet text-[0.9375rem]">{`Contract: ${plan.name} (${plan.id})`}</p>
        <div className="flex flex-wrap gap-4">
          <SubmitButton isDangerous pendingLabel="Continuing…">
            Withdraw from contract here
          </SubmitButton>
          <ButtonLink href="/dashboard" isQuiet>
            Keep my plan
          </ButtonLink>
        </div>
      </PostForm>
    </>
  );
}

function Confirmation({ plan, statement }: { plan: Contract; statement: Statement }) {
  return (
    <>
      <p className="[overflow-wrap:anywhere]">
        <strong>
          <bdi>{statement.name}</bdi>
        </strong>{" "}
        withdraws from the contract for <strong>{plan.name}</strong> ({plan.id}). The receipt goes to{" "}
        <strong>{statement.email}</strong> right away.
      </p>
      <p>{`${plan.name} ends right away and you get ${plan.total} back.`}</p>
      <PostForm className="flex flex-wrap gap-4">
        <input type="hidden" name="name" value={statement.name} />
        <input type="hidden" name="email" value={statement.email} />
        <input type="hidden" name="confirm" value="1" />
        <SubmitButton isDangerous pendingLabel="Withdrawing…">
          Confirm withdrawal
        </SubmitButton>
        <ButtonLink href="/dashboard" isQuiet>
          Keep my plan
        </ButtonLink>
      </PostForm>
    </>
  );
}

/** Records the withdrawal and its receipt, and ends the plan. Failures: 409 no right to withdraw; those of `requestPlanChange`. */
async function withdraw(
  app: BillingApp,
  userId: string,
  { name, email }: Statement,
): Promise<{ ok: true } | Failure> {
  const plan = await readPlanOverview(app, userId);
  if (!plan?.withdrawUntil)
    return failure(409, "The 14 days to withdraw are over, or there is nothing to withdraw from.");
  const { site } = app.config;
  return requestPlanChange(app, userId, { kind: "withdraw" }, async (tx, { subscriptionId, requestedAt }) => {
    const id = randomUUID();
    const declared = await tx
      .insert(withdrawals)
      .values({ id, userId, subscriptionId, name, email, declaredAt: requestedAt })
      .onConflictDoNothing()
      .returning();
    if (declared.length === 0) return;
    const contract = { planName: plan.name, reference: subscriptionId };
    await enqueueMail(
      tx,
      site,
      withdrawalMessage({ name, email, ...contract, declaredAt: requestedAt }, site),
    );
  });
}
