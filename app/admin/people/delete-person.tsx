import { data, redirect } from "react-router";
import { z } from "zod";
import { isOnAdminList } from "../../auth/session.server.ts";
import { findUser, type SignedInUser } from "../../auth/users.server.ts";
import { readPlanInForce } from "../../billing/plan/plan-overview.server.ts";
import type { App } from "../../http/context.server.ts";
import { failure } from "../../http/errors.ts";
import { submitForm } from "../../http/submit-form.server.ts";
import { operatorReason } from "../../promo/given-access.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { foldAddress } from "../../ui/email-address.ts";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { Field } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { useRouteForm } from "../../ui/route-form.ts";
import { Beside, ConsolePage, Facts } from "../console-page.tsx";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/delete-person.ts";
import { deletePerson } from "./delete-and-export.server.ts";
import { NOT_DELETED } from "./flashes.ts";

const deleteForm = z.object({
  email: z.string({ error: "Type their email address" }).max(1000).transform(foldAddress),
  reason: operatorReason,
  /** The subscription the page said will end. */
  subscription: z.string().max(255).optional(),
});

export async function loader(args: Route.LoaderArgs) {
  const { app } = await requireFreshOperator(args);
  const person = await findUser(app.db, args.params.id);
  if (!person) throw data(null, { status: 404 });
  const plan = await readPlanInForce(app.db, person.id);
  return {
    person: { id: person.id, name: person.name, email: person.email },
    isOperator: isOperator(app, person),
    subscription: plan?.subscriptionId ?? "",
    planName: plan?.name ?? null,
  };
}

export async function action(args: Route.ActionArgs) {
  return submitForm(args, {
    schema: deleteForm,
    failure: "an account was not deleted",
    sender: requireFreshOperator,
    async work({ email, reason, subscription = null }, { app, operator }) {
      const person = await findUser(app.db, args.params.id);
      // Deleted already: the outcome is the same.
      if (!person) return redirect("/admin/people?said=deleted", 303);
      if (isOperator(app, person)) return failure(409, NOT_DELETED.operator);
      if (email.toLowerCase() !== person.email)
        return { ...failure(400, "That’s not their email address"), field: "email" };
      const outcome = await deletePerson(app, operator, person.id, subscription, reason);
      if (outcome !== "deleted")
        return failure(outcome === "payments_away" ? 503 : 409, NOT_DELETED[outcome]);
      return redirect("/admin/people?said=deleted", 303);
    },
  });
}

/** Deleting an operator would lock them out. */
function isOperator(app: Pick<App, "config">, person: SignedInUser): boolean {
  return person.emailVerified && isOnAdminList(app, person);
}

export default function DeletePerson({ loaderData, actionData }: Route.ComponentProps) {
  const { person, isOperator, subscription, planName } = loaderData;
  const { form, fields, formProps } = useRouteForm<typeof deleteForm>(actionData, { id: "delete" });
  return (
    <ConsolePage
      title={`Delete ${person.name || person.email}’s account`}
      above={{ href: `/admin/people/${person.id}`, label: person.email }}
    >
      {!form.valid && <ErrorSummary title="Nothing was deleted" form={form} />}
      {isOperator ? (
        <Notice tone="plain">{NOT_DELETED.operator}.</Notice>
      ) : (
        <Beside
          title="What happens"
          isFirst
          aside={
            <>
              <Facts
                facts={[
                  ["Deleted here", "Profile, sign-ins, plans, and payments"],
                  ["Deleted at Stripe", "Their customer record"],
                  ["They get", "An email that says so"],
                ]}
              />
              <p>
                It works like their own Delete button. Make sure the account holder asked: anyone can type
                their address into the contact form.
              </p>
              <p>
                A refund, or a copy of their data? Do that first, on{" "}
                <PageLink href={`/admin/people/${person.id}`}>their page</PageLink>.
              </p>
            </>
          }
        >
          <PostForm {...formProps} className="console-form">
            <Field
              field={fields.email}
              label="Their email address"
              hint={
                <>
                  Type <strong className="[overflow-wrap:anywhere]">{person.email}</strong> to confirm.
                </>
              }
              input={{ type: "email", autoComplete: "off", autoCapitalize: "none", spellCheck: false }}
            />
            <Field
              field={fields.reason}
              label="Reason"
              hint="How they asked, such as “by email on March 3.” It stays in the audit log: leave out names."
              input={{ autoComplete: "off" }}
            />
            <input type="hidden" name="subscription" value={subscription} />
            <p>
              <strong>{planName ? `${planName} ends now, with no refund.` : "They pay for nothing."}</strong>
              {" This can’t be undone."}
            </p>
            <SubmitButton isDangerous pendingLabel="Deleting…">
              Delete the account
            </SubmitButton>
          </PostForm>
        </Beside>
      )}
    </ConsolePage>
  );
}
