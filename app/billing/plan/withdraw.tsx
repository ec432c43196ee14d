import { data, redirect } from "react-router";
import { requireUser } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { SupportLink } from "../../ui/support-link.tsx";
import type { Route } from "./+types/withdraw.ts";
import { LabelledInput } from "./labelled-input.tsx";
import { notDone } from "./plan-form.ts";
import { readPlanOverview } from "./plan-overview.server.ts";
import { BackToDashboard, NotDoneNotice, PlanPage } from "./plan-page.tsx";
import { readStatement, type Statement, type StatementErrors, withdraw } from "./withdraw.server.ts";

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

export async function loader(args: Route.LoaderArgs) {
  const user = await requireUser(args);
  const { app } = fromContext(args.context);
  if (!app.config.site.withdrawal) throw redirect("/dashboard");
  const plan = await readPlanOverview(app, user.id);
  return {
    plan: plan?.withdrawUntil
      ? { name: plan.name, id: plan.subscriptionId, until: plan.withdrawUntil }
      : null,
    person: { name: user.name, email: user.email },
  };
}

interface Answer {
  message?: string;
  typed: Statement;
  errors: StatementErrors;
  /** Whether the statement stands, and only its confirmation is left. */
  isStated: boolean;
}

export async function action(args: Route.ActionArgs) {
  const user = await requireUser(args);
  const sent = readStatement(await readForm(args.request));
  if (!sent) throw data(null, { status: 400 });
  const { statement: typed, errors, isConfirmed } = sent;
  const isStated = Object.keys(errors).length === 0;
  if (!isStated || !isConfirmed)
    return data<Answer>({ typed, errors, isStated }, { status: isStated ? 200 : 400 });
  const { app } = fromContext(args.context);
  if (!app.config.site.withdrawal) throw redirect("/dashboard", 303);
  const withdrawn = await withdraw(app, user.id, typed);
  if (withdrawn.ok) throw redirect("/dashboard", 303);
  const [answer, init] = notDone(withdrawn);
  return data<Answer>({ ...answer, typed, errors: {}, isStated: true }, init);
}

export default function Withdraw({ loaderData: { plan, person }, actionData }: Route.ComponentProps) {
  if (!plan) {
    return (
      <PlanPage title="Withdraw from contract">
        <NotDoneNotice answer={withMessage(actionData)} />
        <p>
          There is no contract you can withdraw from here: the right holds for 14 days from the first payment
          for a plan. Questions? Email <SupportLink />.
        </p>
        <BackToDashboard />
      </PlanPage>
    );
  }
  return (
    <PlanPage title={actionData?.isStated ? "Confirm your withdrawal" : "Withdraw from contract"}>
      <NotDoneNotice answer={withMessage(actionData)} />
      {actionData?.isStated ? (
        <Confirmation plan={plan} statement={actionData.typed} />
      ) : (
        <StatementForm plan={plan} person={actionData?.typed ?? person} errors={actionData?.errors} />
      )}
    </PlanPage>
  );
}

function withMessage(answer: Answer | undefined) {
  return answer?.message ? { message: answer.message } : undefined;
}

interface Contract {
  name: string;
  id: string;
  until: Date;
}

function StatementForm(props: { plan: Contract; person: Statement; errors?: Answer["errors"] }) {
  const { plan, person, errors } = props;
  return (
    <>
      <p>
        If you’re a consumer in the EU, the EEA or the UK, you can withdraw from your contract for {plan.name}{" "}
        until <FormattedEnd instant={new Date(plan.until.getTime() - 1)} />, without giving a reason. The plan
        ends right away, and you get back everything you paid for it.
      </p>
      <PostForm noValidate className="grid gap-5 w-full max-w-[27rem]">
        <LabelledInput
          name="name"
          label="Your name"
          autoComplete="name"
          defaultValue={person.name}
          error={errors?.name}
        />
        <LabelledInput
          name="email"
          type="email"
          label="Email address for the receipt"
          autoComplete="email"
          defaultValue={person.email}
          error={errors?.email}
        />
        <p className="text-quiet text-[0.9375rem]">{`Contract: ${plan.name} (${plan.id})`}</p>
        <div className="flex flex-wrap gap-4">
          <SubmitButton pendingLabel="Continuing…">Withdraw from contract here</SubmitButton>
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
        <strong>{statement.email}</strong> at once.
      </p>
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
