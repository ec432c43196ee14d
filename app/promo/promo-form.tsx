import { getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import { useEffect, useEffectEvent } from "react";
import { useFetcher } from "react-router";
import { isForever } from "../entitlements/expiry.ts";
import { TIER_NAMES, TIERS, type Tier } from "../entitlements/tiers.ts";
import { SubmitButton } from "../ui/button.tsx";
import { Day } from "../ui/day.tsx";
import { Field } from "../ui/field.tsx";
import { NoScriptRefresh } from "../ui/no-script-refresh.tsx";
import { Notice } from "../ui/notice.tsx";
import { promoForm } from "./promo-form-schema.ts";
import { PROMO_MESSAGES } from "./rules.ts";

/** What the form's page answers after it was sent. */
export interface PromoAnswer {
  result: SubmissionResult<string[]>;
  redeemed: { code: string; tier: Tier; expiresAt: Date; isRepeat: boolean } | null;
}

/** The answer when the network took it away. */
export const PROMO_NOT_SENT: PromoAnswer = {
  result: { status: "error", error: { code: [PROMO_MESSAGES.failed] } },
  redeemed: null,
};

interface PromoFormProps {
  /** What came with the document: the answer to a form that was sent without JavaScript. */
  answer?: PromoAnswer;
  /** Fills the box, from a link like /subscription?promo=CODE. */
  code: string | null;
  /** What happens after a success, after how many seconds, and where that leads when it leads away. */
  afterSuccess: { seconds: number; run: () => void; to?: string };
}

/**
 * The promo box: idle, validating, success, error (spec §4). It posts to the page it is on, which answers with a
 * `PromoAnswer`.
 */
export function PromoForm({ answer: documentAnswer, code, afterSuccess }: PromoFormProps) {
  const fetcher = useFetcher<PromoAnswer>();
  const answer = fetcher.data ?? documentAnswer;
  const isValidating = fetcher.state !== "idle";
  const redeemed = isValidating ? null : (answer?.redeemed ?? null);

  const [form, fields] = useForm({
    id: "promo",
    lastResult: isValidating || redeemed ? null : answer?.result,
    defaultValue: { code: code ?? "", tier: "basic" },
    shouldRevalidate: "onInput",
    onValidate: ({ formData }) => parseWithZod(formData, { schema: promoForm }),
  });

  const run = useEffectEvent(afterSuccess.run);
  useEffect(() => {
    if (!redeemed) return;
    const timer = setTimeout(() => run(), afterSuccess.seconds * 1000);
    return () => clearTimeout(timer);
  }, [redeemed, afterSuccess.seconds]);

  return (
    <fetcher.Form
      method="post"
      {...getFormProps(form)}
      className="grid gap-5 max-w-[27rem]"
      aria-busy={isValidating}
    >
      <input type="hidden" name="form" value="promo" />
      <Field
        field={fields.code}
        label="Promo code"
        announcesError
        input={{
          autoComplete: "off",
          autoCapitalize: "characters",
          spellCheck: false,
          // Without JavaScript the page comes back at its top; this brings its reader to the error.
          autoFocus: documentAnswer !== undefined && !documentAnswer.redeemed,
        }}
      />
      <fieldset className="grid gap-2">
        <legend className="font-semibold pb-1.5">Plan</legend>
        {TIERS.map((tier) => (
          <label key={tier} className="choice">
            <input
              type="radio"
              name={fields.tier.name}
              value={tier}
              defaultChecked={tier === (fields.tier.initialValue ?? "basic")}
            />
            {TIER_NAMES[tier]}
          </label>
        ))}
        <p className="text-quiet text-[0.9375rem]">
          Some codes are for one plan; then that plan is what you get.
        </p>
      </fieldset>
      <div>
        <SubmitButton isPending={isValidating} pendingLabel="Checking your code…">
          Apply code
        </SubmitButton>
      </div>
      <p role="status" className="sr-only">
        {isValidating && "Checking your code…"}
      </p>
      {redeemed && fetcher.data && <RedeemedNotice redeemed={redeemed} next={afterSuccess.to} />}
      {redeemed && afterSuccess.to && <NoScriptRefresh seconds={afterSuccess.seconds} to={afterSuccess.to} />}
    </fetcher.Form>
  );
}

/** What a code has given. `next`: where the person is taken from here. */
export function RedeemedNotice({
  redeemed,
  next,
}: {
  redeemed: NonNullable<PromoAnswer["redeemed"]>;
  next?: string;
}) {
  return (
    <Notice tone="good">
      <p className="font-semibold">
        {redeemed.isRepeat ? "You have this already." : "Promo code applied."} {redeemed.code} gives you{" "}
        {TIER_NAMES[redeemed.tier]}
        {isForever(redeemed.expiresAt, new Date()) ? (
          ". Never expires."
        ) : (
          <>
            {" "}
            until <Day instant={redeemed.expiresAt} />.
          </>
        )}
      </p>
      {next && (
        <p>
          Taking you to <a href={next}>your dashboard</a>.
        </p>
      )}
    </Notice>
  );
}
