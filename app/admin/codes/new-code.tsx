import { redirect } from "react-router";
import { z } from "zod";
import { failure } from "../../http/errors.ts";
import { submitForm } from "../../http/submit-form.server.ts";
import { addPromoCode } from "../../promo/manage-codes.server.ts";
import { codeInput, noteInput, termsInput, withTermRules } from "../../promo/promo-terms.server.ts";
import { randomPromoCode } from "../../promo/random-code.server.ts";
import { normalizePromoCode } from "../../promo/rules.ts";
import { Field } from "../../ui/field.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { useRouteForm } from "../../ui/route-form.ts";
import { ConsolePage } from "../console-page.tsx";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/new-code.ts";
import { pathOfCode } from "./code-words.ts";
import { TermsForm } from "./terms.tsx";

/** `random`: the code if none was typed, made with the form, so that sending it twice creates one. */
const newCodeForm = withTermRules(
  z.object({ code: codeInput.optional(), random: codeInput, note: noteInput, ...termsInput }),
);

export async function loader(args: Route.LoaderArgs) {
  await requireFreshOperator(args);
  return { random: randomPromoCode() };
}

export async function action(args: Route.ActionArgs) {
  return submitForm(args, {
    schema: newCodeForm,
    failure: "The code wasn’t created",
    sender: requireFreshOperator,
    work: async ({ code = "", random, ...terms }, { db, operator }) => {
      const created = await addPromoCode(db, operator, { ...terms, code: code || random });
      if (created) return redirect(`${pathOfCode(created.code)}?said=created`, 303);
      if (code === "") return redirect(pathOfCode(random), 303);
      return { ...failure(409, `${code} exists already. It was left as it is.`), field: "code" };
    },
  });
}

export default function NewCode({ loaderData, actionData }: Route.ComponentProps) {
  const form = useRouteForm<typeof newCodeForm>(actionData, {
    id: "new-code",
    defaultValue: { random: loaderData.random },
  });
  const { fields } = form;
  return (
    <ConsolePage title="Create a code" above={{ href: "/admin/codes", label: "Promo codes" }}>
      <p>
        Many codes with the same terms? <PageLink href="/admin/batches/new">Create a batch</PageLink>
      </p>
      <TermsForm
        form={form}
        fields={fields}
        failure="The code was not created"
        hidden={fields.random}
        note={fields.note}
        usesHint="How many people can redeem it, each once."
        subjectOf={(typed) => normalizePromoCode(String(typed.get("code") ?? "")) || "A random code"}
        submit={{ label: "Create the code", pendingLabel: "Creating…" }}
      >
        <Field
          field={fields.code}
          label="Code"
          hint="What people type, in any case. Leave blank for a random one."
          input={{ autoComplete: "off", autoCapitalize: "characters", spellCheck: false, maxLength: 64 }}
        />
      </TermsForm>
    </ConsolePage>
  );
}
