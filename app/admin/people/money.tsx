import { useEffect, useState } from "react";
import { data, Form, redirect, useLocation } from "react-router";
import { z } from "zod";
import { findUser } from "../../auth/users.server.ts";
import { changeByOperator } from "../../billing/plan/change-by-operator.server.ts";
import { creditByOperator } from "../../billing/plan/credit-by-operator.server.ts";
import { endByOperator, endTerms, readRefundLimit } from "../../billing/plan/end-by-operator.server.ts";
import type { AccountHolder } from "../../billing/plan/operator-decision.server.ts";
import { againTerms, refundAgain } from "../../billing/plan/refund-again.server.ts";
import { chargedAmount } from "../../billing/plans.ts";
import type { App } from "../../http/context.server.ts";
import { readForm } from "../../http/form.server.ts";
import type { Message } from "../../mail/message.ts";
import { toPreview } from "../../mail/plain-text.ts";
import { operatorReason } from "../../promo/given-access.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { useFieldsOf } from "../../ui/use-fields-of.ts";
import { ConsolePage, ConsolePart } from "../console-page.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { type Operator, requireFreshOperator } from "../operator.server.ts";
import { HiddenFields, PlainField, REASON } from "../press.tsx";
import type { Route } from "./+types/money.ts";
import { fieldsOf, labelOf, Preview } from "./money-preview.tsx";
import { moneyAction, type Review, reviewOf, type Sent } from "./money-review.server.ts";

const TITLES = {
  end: "Cancel and refund",
  change: "Change plan",
  credit: "Give a credit",
  again: "Pay a refund again",
};

async function findOwner({ db }: Pick<App, "db">, userId: string) {
  const owner = await findUser(db, userId);
  if (!owner) throw data(null, { status: 404 });
  const { id, name, email, timeZone } = owner;
  return { id, name, email, timeZone };
}

export async function loader(args: Route.LoaderArgs) {
  const { app } = await requireFreshOperator(args);
  const owner = await findOwner(app, args.params.id);
  const query = new URL(args.request.url).searchParams;
  const chosen = { when: "period_end", refund: "none", amount: "", price: null, how: "card" };
  const sent = { ...chosen, ...Object.fromEntries(query) };
  const review = await reviewOf(app, owner, sent);
  const action = moneyAction.parse(query.get("do"));
  const limit = action === "end" ? await readRefundLimit(app, owner.id) : null;
  const mails = review?.ok ? review.mails.map((mail) => textOf(app, mail)) : [];
  return data(
    { owner, sent: { ...sent, do: action }, limit, review, mails },
    { status: review && !review.ok ? review.status : 200 },
  );
}

function planOf(review: Route.ComponentProps["loaderData"]["review"]): string {
  if (!review?.ok || !("plan" in review) || !review.plan) return "What to do";
  return `They have ${review.plan.name}, ${chargedAmount(review.plan.price)}`;
}

function textOf({ config: { site } }: App, message: Message) {
  return { subject: message.subject, text: toPreview(site, message) };
}

const confirmed = z.object({ seen: z.string().regex(/^\d{1,19}$/), reason: operatorReason });
const pressed = z.discriminatedUnion("do", [
  confirmed.extend(endTerms.shape).extend({ do: z.literal("end"), total: z.coerce.number().int() }),
  confirmed.extend({ do: z.literal("change"), price: z.string(), at: z.string(), due: z.string() }),
  confirmed.extend({ do: z.literal("credit"), amount: z.string().max(20) }),
  confirmed.extend(againTerms.shape).extend({ do: z.literal("again"), total: z.coerce.number().int() }),
]);

const SAID = { end: "plan_ended", change: "plan_changed", credit: "credited", again: "refunded_again" };

export async function action(args: Route.ActionArgs) {
  const { app, operator } = await requireFreshOperator(args);
  const owner = await findOwner(app, args.params.id);
  const sent = pressed.safeParse(Object.fromEntries(await readForm(args.request)));
  if (!sent.success) {
    const reason = sent.error.issues.find(({ path }) => path[0] === "reason");
    if (!reason) throw data(null, { status: 400 });
    return data({ message: `Nothing was changed. ${reason.message}.` }, { status: 400 });
  }
  const outcome = await perform(app, operator, owner, sent.data);
  if (outcome.ok) return redirect(`/admin/people/${owner.id}?said=${SAID[sent.data.do]}`, 303);
  return data({ message: outcome.message }, { status: outcome.status, headers: outcome.headers });
}

function perform(app: App, operator: Operator, owner: AccountHolder, wanted: z.output<typeof pressed>) {
  switch (wanted.do) {
    case "end":
      return endByOperator(app, operator, owner, wanted, wanted);
    case "change":
      return changeByOperator(app, operator, owner, wanted, wanted);
    case "credit":
      return creditByOperator(app, operator, owner, wanted.amount, wanted);
    case "again":
      return refundAgain(app, operator, owner, wanted, wanted);
  }
}

export default function Money({ loaderData, actionData }: Route.ComponentProps) {
  const { owner, sent, limit, review, mails } = loaderData;
  const path = `/admin/people/${owner.id}`;
  const { isChanged, form } = usePreviewedForm(sent);
  return (
    <ConsolePage
      title={`${TITLES[sent.do]}: ${owner.name || owner.email}`}
      above={{ href: path, label: owner.email }}
    >
      {actionData && <Notice tone="bad">{actionData.message}</Notice>}
      {!actionData && review && !review.ok && <Notice tone="bad">{review.message}</Notice>}
      <div className="console-parts">
        <ConsolePart id="choice" title={planOf(review)}>
          {sent.do === "end" && <EndForm form={form} sent={sent} limit={limit} />}
          {sent.do === "again" && review?.ok && <AgainForm form={form} sent={sent} />}
          {sent.do === "credit" && <CreditForm form={form} amount={sent.amount ?? ""} />}
          {review?.ok && review.of === "change" && <Options {...review} />}
        </ConsolePart>
        <ConsolePart id="preview" title="Preview">
          {review?.ok && (review.of !== "change" || review.review) ? (
            <>
              <Preview review={review} sent={sent} />
              {mails.map(({ subject, text }) => (
                <details key={text} open>
                  <summary>They get this email: {subject}</summary>
                  <pre className="console-mail-text">{text}</pre>
                </details>
              ))}
              {isChanged ? (
                <p role="status">You changed the form. Preview it again before you confirm.</p>
              ) : (
                <Confirm fields={fieldsOf(review, sent)} label={labelOf(review)} />
              )}
            </>
          ) : (
            <p className="text-quiet">
              Nothing is done yet. Once you’ve chosen, you see here what it comes to at Stripe and the email
              they get, and then you confirm.
            </p>
          )}
        </ConsolePart>
      </div>
    </ConsolePage>
  );
}

type PreviewedForm = ReturnType<typeof usePreviewedForm>["form"];

/** Whether the form was changed since its preview, which is no longer of what it says. Without scripts the preview says what is done. */
function usePreviewedForm(sent: Sent) {
  const ref = useFieldsOf(useLocation().search);
  const [isChanged, setChanged] = useState(false);
  const compare = () => {
    const typed = ref.current ? [...new FormData(ref.current)] : [];
    setChanged(typed.some(([name, value]) => value !== (sent[name] ?? "")));
  };
  // A browser may have put back what was typed before.
  // biome-ignore lint/correctness/useExhaustiveDependencies: after that each change is heard
  useEffect(compare, []);
  return { isChanged, form: { ref, onInput: compare, onReset: () => setChanged(false) } };
}

/** @param limit what can be refunded: "$49.99" */
function EndForm({ form, sent, limit }: { form: PreviewedForm; sent: Sent; limit: string | null }) {
  return (
    <Form {...form} className="console-form" preventScrollReset>
      <HiddenFields fields={{ do: "end", preview: "1" }} />
      <fieldset>
        <legend>When it ends</legend>
        <Radio name="when" value="period_end" sent={sent} label="At the end of the paid period" />
        <Radio name="when" value="now" sent={sent} label="Immediately" />
      </fieldset>
      <fieldset>
        <legend>Refund</legend>
        <Radio name="refund" value="none" sent={sent} label="None" />
        <Radio
          name="refund"
          value="whole"
          sent={sent}
          label={`Everything paid for this plan${limit ? ` (${limit})` : ""}`}
        />
        <Radio name="refund" value="part" sent={sent} label="Another amount, from the newest payment back:" />
        <div className="console-amount">
          {limit && <span aria-hidden="true">{limit.replace(/[\d.,\s]/g, "")}</span>}
          <Amount value={sent.amount ?? ""} label="Amount to refund" />
        </div>
      </fieldset>
      <SubmitButton isQuiet pendingLabel="Asking Stripe…">
        Preview
      </SubmitButton>
    </Form>
  );
}

function Radio(props: { name: string; value: string; sent: Sent; label: string }) {
  const { name, value, sent, label } = props;
  return (
    <label className="flex gap-2 items-center min-h-10">
      <input type="radio" name={name} value={value} defaultChecked={sent[name] === value} /> {label}
    </label>
  );
}

function Amount({ value, label }: { value: string; label: string }) {
  return (
    <input
      name="amount"
      aria-label={label}
      className="field-input"
      inputMode="decimal"
      autoComplete="off"
      maxLength={20}
      placeholder="10.00"
      defaultValue={value}
    />
  );
}

function AgainForm({ form, sent }: { form: PreviewedForm; sent: Sent }) {
  return (
    <Form {...form} className="console-form" preventScrollReset>
      <HiddenFields fields={{ do: "again" }} />
      <fieldset>
        <legend>How the money goes back</legend>
        <Radio name="how" value="card" sent={sent} label="To the card they paid with, once more" />
        <Radio name="how" value="other" sent={sent} label="I paid it in another way: only note that" />
      </fieldset>
      <p className="text-quiet">
        To a card that is closed it fails again. Ask them for a bank account, pay them from yours, then note
        it here.
      </p>
      <SubmitButton isQuiet pendingLabel="Asking Stripe…">
        Preview
      </SubmitButton>
    </Form>
  );
}

function CreditForm({ form, amount }: { form: PreviewedForm; amount: string }) {
  return (
    <Form {...form} className="console-form" preventScrollReset>
      <HiddenFields fields={{ do: "credit" }} />
      <Amount value={amount} label="Amount of the credit" />
      <p className="text-quiet">Stripe takes it off their next payments. It’s not paid out.</p>
      <SubmitButton isQuiet pendingLabel="Asking Stripe…">
        Preview
      </SubmitButton>
    </Form>
  );
}

type Option = Extract<Review, { of: "change" }>["options"][number];

function Options({ options }: Extract<Review, { of: "change" }>) {
  return (
    <Table
      label="Table of plans to change to"
      rows={options}
      columns={OPTIONS}
      keyOf={({ price }) => price.id}
    />
  );
}

const OPTIONS: Column<Option>[] = [
  {
    header: "Plan",
    cell: ({ planName, price }) => (
      <PageLink href={`?${new URLSearchParams({ do: "change", price: price.id })}`}>
        {`${planName}, ${chargedAmount(price)}`}
      </PageLink>
    ),
  },
  { header: "Starts", cell: ({ happens }) => (happens === "now" ? "Immediately" : "With the next payment") },
];

function Confirm({ fields, label }: { fields: Record<string, string | number>; label: string }) {
  return (
    <PostForm className="console-form">
      <HiddenFields fields={fields} />
      <PlainField {...REASON} />
      <SubmitButton isDangerous={fields.do === "end"} pendingLabel="One moment…">
        {label}
      </SubmitButton>
    </PostForm>
  );
}
