import { randomUUID } from "node:crypto";
import { redirect } from "react-router";
import { z } from "zod";
import { submitForm } from "../../http/submit-form.server.ts";
import { createPromoBatch } from "../../promo/batches.server.ts";
import { newPromoBatch } from "../../promo/promo-terms.server.ts";
import { Field } from "../../ui/field.tsx";
import { useRouteForm } from "../../ui/route-form.ts";
import { ConsolePage, formatCount } from "../console-page.tsx";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/new-batch.ts";
import { TermsForm } from "./terms.tsx";

/** `batch`: its id, made with the form, so that sending it twice creates one. */
const newBatchForm = newPromoBatch.safeExtend({ batch: z.uuid() });

export async function loader(args: Route.LoaderArgs) {
  await requireFreshOperator(args);
  return { batch: randomUUID() };
}

export async function action(args: Route.ActionArgs) {
  return submitForm(args, {
    schema: newBatchForm,
    failure: "The batch wasn’t created",
    sender: requireFreshOperator,
    work: async ({ batch, ...input }, { db, operator }) => {
      await createPromoBatch(db, operator, batch, input);
      return redirect(`/admin/batches/${batch}`, 303);
    },
  });
}

export default function NewBatch({ loaderData, actionData }: Route.ComponentProps) {
  const form = useRouteForm<typeof newBatchForm>(actionData, {
    id: "new-batch",
    defaultValue: { batch: loaderData.batch, maxUses: "1" },
  });
  const { fields } = form;
  return (
    <ConsolePage title="Create a batch" above={{ href: "/admin/batches", label: "Batches" }}>
      <TermsForm
        form={form}
        fields={fields}
        failure="The batch was not created"
        hidden={fields.batch}
        usesHint="How many people can redeem each code."
        subjectOf={(typed) => {
          const size = Number(typed.get("size"));
          return size > 0 ? `Each of ${formatCount(size)} codes` : "Each code";
        }}
        submit={{ label: "Create the batch", pendingLabel: "Creating…" }}
      >
        <Field
          field={fields.name}
          label="Name"
          hint="What the codes are for. Only operators see this."
          input={{ autoComplete: "off", maxLength: 100 }}
        />
        <Field
          field={fields.size}
          label="How many codes"
          hint="Up to 10,000, each random and impossible to guess."
          input={{ inputMode: "numeric", autoComplete: "off", placeholder: "100" }}
        />
      </TermsForm>
    </ConsolePage>
  );
}
