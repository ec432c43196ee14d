import { getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { parseWithZod } from "@conform-to/zod/v4";
import { useEffect, useEffectEvent } from "react";
import { useFetcher, useLocation } from "react-router";
import { PLAN_NAMES, TIERS } from "../entitlements/tiers.ts";
import { loginPath } from "../http/safe-path.ts";
import { SubmitButton } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { NoScriptRefresh } from "../ui/no-script-refresh.tsx";
import { promoForm } from "./promo-form-schema.ts";
import type { UnusedCode } from "./redeem.server.ts";
import { type RedeemedCode, RedeemedNotice } from "./redeemed-notice.tsx";
import { PROMO_MESSAGES, startAfter } from "./rules.ts";
import { UnusedNotice } from "./unused-notice.tsx";

/** The action data of a page with the form. */
export interface PromoAnswer {
  result: SubmissionResult<string[]>;
  redeemed: RedeemedCode | null;
  /** A valid code that was not used because of a plan the user has. */
  unused: UnusedCode | null;
}

/** The answer when the network failed. */
export const PROMO_NOT_SENT: PromoAnswer = {
  result: { status: "error", error: { code: [PROMO_MESSAGES.failed] } },
  redeemed: null,
  unused: null,
};

interface PromoFormProps {
  /** The route's action data, after a submission without JavaScript. */
  answer?: PromoAnswer;
  /** Prefills the field, from a link like /subscription?promo=CODE. */
  code: string | null;
  /** Runs this many seconds after a success; `to` is the page it navigates to, if any. */
  afterSuccess: { seconds: number; run: () => void; to?: string };
}

/**
 * The promo code form: idle, validating, success, error (spec §4). It posts to the current page, whose action returns a
 * `PromoAnswer`.
 */
export function PromoForm({ answer: documentAnswer, code, afterSuccess }: PromoFormProps) {
  const fetcher = useFetcher<PromoAnswer>();
  const answer = fetcher.data ?? documentAnswer;
  const isValidating = fetcher.state !== "idle";
  const redeemed = isValidating ? null : (answer?.redeemed ?? null);
  const unused = isValidating ? null : (answer?.unused ?? null);

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
    <div className="grid gap-5 max-w-[27rem]">
      <fetcher.Form method="post" {...getFormProps(form)} className="grid gap-5" aria-busy={isValidating}>
        <input type="hidden" name="form" value="promo" />
        <Field
          field={fields.code}
          label="Promo code"
          announcesError
          input={{
            autoComplete: "off",
            autoCapitalize: "characters",
            spellCheck: false,
            // Without JavaScript the page reloads at its top; this moves focus to the error.
            autoFocus: documentAnswer !== undefined && !documentAnswer.redeemed && !documentAnswer.unused,
          }}
        />
        {fields.code.errors?.includes(PROMO_MESSAGES.signedOut) && <LogIn code={fields.code.value ?? ""} />}
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
              {PLAN_NAMES[tier]}
            </label>
          ))}
          <p className="text-quiet text-[0.9375rem]">Some codes are tied to one plan.</p>
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
        {redeemed && afterSuccess.to && (
          <NoScriptRefresh seconds={afterSuccess.seconds} to={afterSuccess.to} />
        )}
      </fetcher.Form>
      {unused && (
        <UnusedNotice unused={unused}>
          <fetcher.Form method="post">
            <input type="hidden" name="form" value="promo" />
            <input type="hidden" name="code" value={unused.code} />
            <input type="hidden" name="tier" value={unused.tier} />
            <input type="hidden" name="confirmed" value={startAfter(unused.held)} />
            <SubmitButton isQuiet pendingLabel="Applying your code…">
              Apply it anyway
            </SubmitButton>
          </fetcher.Form>
        </UnusedNotice>
      )}
    </div>
  );
}

/** Shown when the account was deleted before the code was applied. */
function LogIn({ code }: { code: string }) {
  const { pathname } = useLocation();
  return (
    <p>
      <a href={loginPath(`${pathname}?${new URLSearchParams({ promo: code })}`, "promo")}>Log in</a>
    </p>
  );
}
