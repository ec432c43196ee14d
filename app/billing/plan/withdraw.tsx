import { randomUUID } from "node:crypto";
import type { ComponentProps } from "react";
import { data, redirect } from "react-router";
import { z } from "zod";
import { emailAddress, personName } from "../../auth/person-fields.server.ts";
import { requireUser } from "../../auth/session.server.ts";
import { fromContext } from "../../http/context.server.ts";
import { type Failure, failure } from "../../http/errors.ts";
import { readForm } from "../../http/form.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { FormattedEnd } from "../../ui/formatted-date.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { SupportLink } from "../../ui/support-link.tsx";
import { withdrawalMessage } from "../notices/payment-messages.ts";
import { withdrawals } from "../schema.ts";
import type { Route } from "./+types/withdraw.ts";
import { type PlanParts, readFields, requestPlanChange } from "./apply-plan-change.server.ts";
import { readPlanOverview } from "./plan-overview.server.ts";
import { BackToDashboard, FailureNotice, failureResponse, PlanPage } from "./plan-page.tsx";

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
  const [answer, init] = failureResponse(withdrawn);
  return data<Answer>({ ...answer, typed, errors: {}, isStated: true }, init);
}

export default function Withdraw({ loaderData: { plan, person }, actionData }: Route.ComponentProps) {
  if (!plan) {
    return (
      <PlanPage title="Withdraw from contract">
        <FailureNotice answer={withMessage(actionData)} />
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
      <FailureNotice answer={withMessage(actionData)} />
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

/** The statement of the first step; the second sends it again with `confirm`. */
const STATEMENT_FIELDS = {
  name: z.string().max(1000),
  email: z.string().max(1000),
  confirm: z.literal("1").optional(),
};

const statementSchema = z.object({ name: personName, email: emailAddress });

interface Statement {
  name: string;
  email: string;
}

type StatementErrors = Partial<Statement>;

/** A statement out of a form. @returns `null` for a form with other fields */
function readStatement(
  form: FormData,
): { statement: Statement; isConfirmed: boolean; errors: StatementErrors } | null {
  const fields = readFields(form, STATEMENT_FIELDS);
  if (!fields) return null;
  const typed = { name: fields.name.trim(), email: fields.email.trim() };
  const checked = statementSchema.safeParse(typed);
  const statement = checked.data ?? typed;
  const issues = checked.error?.issues ?? [];
  const errors = Object.fromEntries(issues.toReversed().map(({ path, message }) => [path[0], message]));
  return { statement, isConfirmed: fields.confirm !== undefined, errors };
}

/**
 * Withdraws from the contract of the user's open subscription: it is recorded and its receipt queued in one transaction, then
 * the plan ends and everything paid for it goes back.
 *
 * Failures: 409 when the right does not hold, or no longer; those of `requestPlanChange`.
 */
async function withdraw(
  app: PlanParts,
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
    const declaration = {
      name,
      email,
      planName: plan.name,
      reference: subscriptionId,
      declaredAt: requestedAt,
    };
    await enqueueMail(tx, site, withdrawalMessage(declaration, site));
  });
}

/** A labelled input with its error tied to it, for forms that are judged on the server alone. */
function LabelledInput(
  props: { name: string; label: string; error?: string } & Pick<
    ComponentProps<"input">,
    "type" | "autoComplete" | "defaultValue"
  >,
) {
  const { label, error, ...input } = props;
  const errorId = `${input.name}-error`;
  return (
    <div className="grid gap-1.5">
      <label htmlFor={input.name} className="font-semibold">
        {label}
      </label>
      <input
        {...input}
        id={input.name}
        className="field-input"
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? errorId : undefined}
        // biome-ignore lint/a11y/noAutofocus: only after the form was sent, on the field that needs another answer
        autoFocus={error !== undefined}
      />
      {error && (
        <p id={errorId} className="text-coral font-semibold">
          {error}
        </p>
      )}
    </div>
  );
}
