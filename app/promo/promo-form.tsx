import { getFormProps, useForm } from "@conform-to/react";
import { use } from "react";
import { isForever } from "../entitlements/expiry.ts";
import { type FeatureStates, openness } from "../entitlements/features.ts";
import { PLAN_NAMES, TIER_NAMES, TIERS } from "../entitlements/tiers.ts";
import { loginPath } from "../http/safe-path.ts";
import { SubmitButton } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { FormattedEnd } from "../ui/formatted-date.tsx";
import { NoScriptRefresh } from "../ui/no-script-refresh.tsx";
import { Notice } from "../ui/notice.tsx";
import { RenderContext } from "../ui/render-context.ts";
import { SentForm } from "../ui/sent-form.tsx";
import type { CodeAnswer } from "./checked-code.ts";
import { CodePreview } from "./code-preview.tsx";
import type { PromoAnswer, RedeemedCode } from "./promo-form-schema.ts";
import { normalisePromoCode, PROMO_MESSAGES, startAfter } from "./rules.ts";
import { UnusedNotice } from "./unused-notice.tsx";

interface PromoFormProps {
  /** The path of the page it is on. */
  page: string;
  features: FeatureStates;
  /** The answer, once the form was sent. */
  answer?: PromoAnswer;
  /** Prefills the box, from a link like /subscription?promo=CODE. */
  code: string | null;
  /** What is known of that code already. */
  preview: CodeAnswer | null;
  /** How long after a success the page leads to another, or a script shows another part of it (`script/send-forms.ts`). */
  afterSuccess: { seconds: number; to?: string; thenShow?: string };
  /** Whether something else is what the page is for. */
  isSecondary?: boolean;
  /** Where a script sends it instead of to the page, for no more than this form again. */
  sendTo?: string;
  /** Whether the user pays for a plan: then it would confuse to read that nothing is charged. */
  isPaying?: boolean;
}

/**
 * The promo code form: idle, validating, success, error (spec §4). It posts to the current page, whose action returns a
 * `PromoAnswer`. It is also rendered outside of a page, without a router: see redeem.tsx.
 */
export function PromoForm(props: PromoFormProps) {
  const { page, features, answer, code, afterSuccess, isSecondary, isPaying } = props;
  const { isSentByScript, typed: before } = use(RenderContext);
  const redeemed = answer?.redeemed ?? null;
  const unused = answer?.unused ?? null;

  const [form, fields] = useForm({
    id: "promo",
    lastResult: redeemed ? null : answer?.result,
    defaultValue: { code: code ?? "", tier: props.preview?.chosen ?? "basic", ...before },
  });

  const typed = fields.code.value ?? "";
  const chosen = fields.tier.value ?? "basic";
  const hasError = fields.code.errors !== undefined;
  const preview = [answer?.checked, props.preview].find((each) => each && isAbout(each, typed, chosen));

  return (
    <div className="grid gap-5 max-w-[27rem]" data-part="promo">
      <SentForm
        {...getFormProps(form)}
        className="grid gap-5"
        data-promo=""
        sendTo={props.sendTo}
        failure={PROMO_MESSAGES.failed}
        failureField="code"
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
            // Without JavaScript the page reloads at its top; this scrolls to the error.
            autoFocus: answer?.result.status === "error",
          }}
        />
        {fields.code.errors?.includes(PROMO_MESSAGES.signedOut) && (
          <LogIn page={page} code={fields.code.value ?? ""} />
        )}
        {fields.code.errors?.includes(PROMO_MESSAGES.unconfirmed) && (
          <p>
            <a href="/account">Get the email again</a>
          </p>
        )}
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
              {`${PLAN_NAMES[tier]} (${TIER_NAMES[tier]})`}
            </label>
          ))}
          <p className="text-quiet text-[0.9375rem]">If your code is for one plan, you get that plan.</p>
        </fieldset>
        <div aria-live="polite" className="empty:-mt-5" data-preview="">
          {preview && !redeemed && !unused && !hasError && <CodePreview answer={preview} />}
        </div>
        <div className="flex flex-wrap gap-3">
          <SubmitButton isQuiet={isSecondary} pendingLabel="Checking…">
            Apply code
          </SubmitButton>
          <SubmitButton isQuiet pendingLabel="Checking…" name="intent" value="check">
            Check first
          </SubmitButton>
        </div>
        {!isPaying && (
          <p className="text-quiet text-[0.9375rem]">
            Nothing is charged. The free time starts today
            {openness(features) === "none" && ", although the features aren’t open yet"}.
          </p>
        )}
        <p role="status" className="sr-only" data-while-sending="Checking your code…" />
        {redeemed && (
          <div
            data-after={afterSuccess.seconds}
            data-leads-to={afterSuccess.to}
            data-then-show={afterSuccess.thenShow}
          >
            {isSentByScript && <RedeemedNotice redeemed={redeemed} next={afterSuccess.to} />}
          </div>
        )}
        {redeemed && afterSuccess.to && (
          <NoScriptRefresh seconds={afterSuccess.seconds} to={afterSuccess.to} />
        )}
      </SentForm>
      {unused && (
        <UnusedNotice unused={unused}>
          <SentForm failure={PROMO_MESSAGES.failed} sendTo={props.sendTo}>
            <input type="hidden" name="form" value="promo" />
            <input type="hidden" name="code" value={unused.code} />
            <input type="hidden" name="tier" value={unused.tier} />
            <input type="hidden" name="confirmed" value={startAfter(unused.held)} />
            <SubmitButton isQuiet pendingLabel="Applying…">
              Apply it anyway
            </SubmitButton>
          </SentForm>
        </UnusedNotice>
      )}
    </div>
  );
}

/** Whether an answer is about what is in the form now. A code with a plan of its own does not care for the choice. */
function isAbout({ typed, chosen, checked }: CodeAnswer, code: string, tier: string): boolean {
  if (normalisePromoCode(typed) !== normalisePromoCode(code)) return false;
  return chosen === tier || checked === null || checked.tier !== null || checked.effect?.kind === "repeat";
}

/** For visitors, and after the account was deleted in the meantime. */
function LogIn({ page, code }: { page: string; code: string }) {
  return (
    <p>
      <a href={loginPath(`${page}?${new URLSearchParams({ promo: code })}`, "promo")}>Log in</a>
    </p>
  );
}

/** The plan a redeemed code gives. `next`: the page the user is about to be taken to. */
export function RedeemedNotice({ redeemed, next }: { redeemed: RedeemedCode; next?: string }) {
  return (
    <Notice tone="good">
      <p className="font-semibold">
        {redeemed.isRepeat ? "You’ve already applied this code." : "Promo code applied."} {redeemed.code}{" "}
        gives you {PLAN_NAMES[redeemed.tier]}
        {isForever(redeemed.expiresAt, new Date()) ? (
          ". Never expires."
        ) : (
          <>
            {" "}
            until <FormattedEnd instant={redeemed.expiresAt} />.
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
