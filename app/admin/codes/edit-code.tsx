import { data, redirect } from "react-router";
import { z } from "zod";
import { submitForm } from "../../http/submit-form.server.ts";
import { editPromoCode, findPromoCode, versionOf } from "../../promo/manage-codes.server.ts";
import { promoChange, termsOf } from "../../promo/promo-terms.server.ts";
import { normalizePromoCode } from "../../promo/rules.ts";
import { useRouteForm } from "../../ui/route-form.ts";
import { ConsolePage, formatCount } from "../console-page.tsx";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/edit-code.ts";
import { fieldMoment, pathOfCode } from "./code-words.ts";
import { TermsForm } from "./terms.tsx";

const editForm = promoChange.safeExtend({ seen: z.string().max(2000) });

export async function loader(args: Route.LoaderArgs) {
  const { db } = await requireFreshOperator(args);
  const row = await findPromoCode(db, normalizePromoCode(args.params.code));
  if (!row) throw data(null, { status: 404 });
  return { row, seen: versionOf(row) };
}

export async function action(args: Route.ActionArgs) {
  const code = normalizePromoCode(args.params.code);
  return submitForm(args, {
    schema: editForm,
    failure: "The code wasn’t changed",
    sender: requireFreshOperator,
    work: async ({ note, seen, ...terms }, { db, operator }) => {
      const edit = { ...termsOf(terms), note: note || null };
      const outcome = await editPromoCode(db, operator, code, edit, seen);
      if (!outcome.ok) return outcome;
      return redirect(`${pathOfCode(code)}?said=${outcome.isChanged ? "saved" : "same"}`, 303);
    },
  });
}

export default function EditCode({ loaderData: { row, seen }, actionData }: Route.ComponentProps) {
  const form = useRouteForm<typeof editForm>(actionData, {
    id: "edit-code",
    defaultValue: {
      seen,
      note: row.note ?? "",
      tier: row.tier ?? undefined,
      months: row.durationType === "months" ? String(row.durationMonths ?? 1) : "",
      forever: row.durationType === "forever",
      startsAt: fieldMoment(row.startsAt),
      expiresAt: fieldMoment(row.expiresAt),
      maxUses: row.maxUses === null ? "" : String(row.maxUses),
      confirmedOnly: row.confirmedOnly,
      oncePerMailbox: row.oncePerMailbox,
    },
  });
  const { fields } = form;
  return (
    <ConsolePage title={`Edit ${row.code}`} above={{ href: pathOfCode(row.code), label: row.code }}>
      <p>
        Changes apply to new redemptions.
        {row.usedCount > 0 && " Its plan and length can’t change, because it has been redeemed."}
      </p>
      <TermsForm
        form={form}
        fields={fields}
        failure="The code was not changed"
        hidden={fields.seen}
        note={fields.note}
        used={row.usedCount}
        usesHint={`${formatCount(row.usedCount)} used so far.`}
        subjectOf={() => `From now on, ${row.code}`}
        submit={{ label: "Save", pendingLabel: "Saving…" }}
      />
    </ConsolePage>
  );
}
