import { Form } from "react-router";
import { SubmitButton } from "../../ui/button.tsx";
import { HiddenFields } from "../press.tsx";
import type { Sent } from "./money-review.server.ts";

/** @param limit what can be refunded: "$49.99" */
export function EndForm({ sent, limit }: { sent: Sent; limit: string | null }) {
  return (
    <Form className="console-form" preventScrollReset>
      <HiddenFields fields={{ do: "end", preview: "1" }} />
      <fieldset>
        <legend>When it ends</legend>
        <Radio name="when" value="period_end" sent={sent} label="At the end of what is paid for" />
        <Radio name="when" value="now" sent={sent} label="At once" />
      </fieldset>
      <fieldset>
        <legend>Refund</legend>
        <Radio name="refund" value="none" sent={sent} label="None" />
        <Radio name="refund" value="whole" sent={sent} label="Everything paid for this plan" />
        <Radio name="refund" value="part" sent={sent} label="This much, of the newest payments first:" />
        <div className="flex gap-2 items-center min-h-11">
          <Amount value={sent.amount ?? ""} label="Amount to refund" />
          {limit && <span className="whitespace-nowrap">of {limit}</span>}
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
    <label className="flex gap-2 items-center min-h-11">
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

export function AgainForm({ sent }: { sent: Sent }) {
  return (
    <Form className="console-form" preventScrollReset>
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

export function CreditForm({ amount }: { amount: string }) {
  return (
    <Form className="console-form" preventScrollReset>
      <HiddenFields fields={{ do: "credit" }} />
      <Amount value={amount} label="Amount of the credit" />
      <p className="text-quiet">Stripe takes it off their next payments. It’s not paid out.</p>
      <SubmitButton isQuiet pendingLabel="Asking Stripe…">
        Preview
      </SubmitButton>
    </Form>
  );
}
