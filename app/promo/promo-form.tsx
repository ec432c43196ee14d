import { getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import { useEffect, useEffectEvent } from "react";
import { useFetcher } from "react-router";
import { TIER_NAMES, TIERS, type Tier } from "../entitlements/tiers.ts";
import { SubmitButton } from "../ui/button.tsx";
import { Day } from "../ui/day.tsx";
import { Field } from "../ui/field.tsx";
import { NoScriptRefresh } from "../ui/no-script-refresh.tsx";
import { Notice } from "../ui/notice.tsx";
import { promoForm } from "./promo-form-schema.ts";

/** What the form's page answers after it was sent. */
export interface PromoAnswer {
  result: SubmissionResult<string[]>;
  redeemed: { code: string; tier: Tier; expiresAt: Date; isRepeat: boolean } | null;
}

/**
 * The promo box: idle, validating, success, error (spec §4). It posts to the page it is on, which answers with a
 * `PromoAnswer`; without JavaScript that answer comes in through `answer`.
 *
 * @param afterSuccess what happens then, and after how many seconds
 * @param code fills the box, from a link like /subscription?promo=CODE
 */
export function PromoForm(props: {
  answer?: PromoAnswer;
  code: string | null;
  afterSuccess: { seconds: number; run: () => void; to?: string };
}) {
  const { afterSuccess } = props;
  const fetcher = useFetcher<PromoAnswer>();
  const answer = fetcher.data ?? props.answer;
  const isValidating = fetcher.state !== "idle";
  const redeemed = isValidating ? null : answer?.redeemed;

  const [form, fields] = useForm({
    id: "promo",
    lastResult: isValidating || answer?.redeemed ? null : answer?.result,
    defaultValue: { code: props.code ?? "", tier: "basic" },
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
        input={{ autoComplete: "off", autoCapitalize: "characters", spellCheck: false }}
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
      {redeemed && (
        <Notice tone="good">
          {afterSuccess.to && <NoScriptRefresh seconds={afterSuccess.seconds} to={afterSuccess.to} />}
          <p className="font-semibold">
            {redeemed.isRepeat ? "You have this already." : "Promo code applied."} {redeemed.code} gives you{" "}
            {TIER_NAMES[redeemed.tier]} until <Day instant={redeemed.expiresAt} />.
          </p>
          {afterSuccess.to && (
            <p>
              Taking you to <a href={afterSuccess.to}>your dashboard</a>.
            </p>
          )}
        </Notice>
      )}
    </fetcher.Form>
  );
}
