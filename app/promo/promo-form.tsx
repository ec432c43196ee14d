import { type ReactNode, useEffect, useRef } from "react";
import { type FetcherWithComponents, useNavigate, useRevalidator } from "react-router";
import { isForever } from "../entitlements/expiry.ts";
import { openness, useFeatures } from "../entitlements/features.ts";
import { PlanEnd } from "../entitlements/subscription-facts.tsx";
import { PLAN_NAMES, TIER_NAMES, TIERS, type Tier } from "../entitlements/tiers.ts";
import { loginPath } from "../http/safe-path.ts";
import { SubmitButton } from "../ui/button.tsx";
import { Field } from "../ui/field.tsx";
import { Focused } from "../ui/focused.tsx";
import { NoScriptRefresh } from "../ui/no-script-refresh.tsx";
import { Notice } from "../ui/notice.tsx";
import { WAITING_PROMISE } from "../ui/offer.ts";
import { PageLink } from "../ui/page-link.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { useRouteForm } from "../ui/route-form.ts";
import { useRoot } from "../ui/site.ts";
import { useAfter } from "../ui/use-after.ts";
import { CodePreview, UnusedNotice } from "./code-preview.tsx";
import type { CodeAnswer, PromoAnswer, RedeemedCode } from "./promo-answer.ts";
import type { promoForm } from "./redeem-action.server.ts";
import { normalizePromoCode, PROMO_MESSAGES, startAfter } from "./rules.ts";
import { usePromoPreview } from "./use-promo-preview.ts";

interface PromoFormProps {
  page: string;
  /** Sends it; the page shows what was redeemed. */
  fetcher: FetcherWithComponents<PromoAnswer>;
  answer?: PromoAnswer;
  /** Chosen at first (spec §5: basic). */
  tier?: Tier;
  /** From a link like /subscription?promo=CODE. */
  code: string | null;
  preview: CodeAnswer | null;
  /** The page says that the code of the link is good. */
  isReady?: boolean;
  isSecondary?: boolean;
  /** "Nothing is charged" would confuse a paying user. */
  isPaying?: boolean;
  /** The heading. */
  children: ReactNode;
}

/** Spec §4: idle, validating, success, error. Posts to the current page. Two cells: the heading, and the form. */
export function PromoForm(props: PromoFormProps) {
  const { page, fetcher, answer, code, isSecondary, isPaying } = props;
  const { redeemed, unused } = answer ?? {};
  const isWaiting = openness(useFeatures()) !== "all";

  const { fields, formProps } = useRouteForm<typeof promoForm>(redeemed ? undefined : answer?.result, {
    id: "promo",
    defaultValue: { code: code ?? "", tier: props.preview?.chosen ?? props.tier ?? "basic" },
  });

  const look = usePromoPreview();
  const typed = look.typed?.code ?? fields.code.initialValue ?? "";
  const chosen = look.typed?.tier ?? fields.tier.initialValue ?? "basic";
  const isRefused = fields.code.errors !== undefined && look.typed === null;
  const preview = [look.answer, answer?.checked, props.preview].find(
    (each) => each && isAbout(each, typed, chosen),
  );
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (answer?.result.status === "error") box.current?.focus();
  }, [answer]);
  const shown = !redeemed && !unused && !isRefused && preview;
  const isSaid = props.isReady && props.preview && isAbout(props.preview, typed, chosen);
  const said = shown && <CodePreview answer={shown} isSaid={isSaid} />;
  const check = (
    <SubmitButton isQuiet pendingLabel="Checking…" name="intent" value="check">
      See what it gives me
    </SubmitButton>
  );

  const form = (
    <div className="grid gap-5 max-w-[27rem]">
      {unused && (
        <UnusedNotice unused={unused}>
          <PostForm fetcher={fetcher}>
            <input type="hidden" name="form" value="promo" />
            <input type="hidden" name="code" value={unused.code} />
            <input type="hidden" name="tier" value={unused.tier} />
            <input type="hidden" name="confirmed" value={startAfter(unused.behind)} />
            <SubmitButton isQuiet pendingLabel="Applying…">
              Apply it anyway
            </SubmitButton>
          </PostForm>
        </UnusedNotice>
      )}
      <PostForm {...formProps} fetcher={fetcher} onSubmit={look.stop} className="flex flex-col gap-5">
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
            ref: box,
            onInput: ({ currentTarget: { value, form } }) => look.type(value, tierIn(form)),
            // When focus moves to a button, its submit checks the code.
            onBlur: ({ currentTarget: { value, form }, relatedTarget }) => {
              if (!(relatedTarget instanceof HTMLButtonElement)) look.leave(value, tierIn(form));
            },
          }}
        />
        <div aria-live="polite" className="empty:-mt-5">
          {!isSaid && said}
        </div>
        {fields.code.errors?.includes(PROMO_MESSAGES.signedOut) && (
          <LogIn page={page} code={fields.code.initialValue ?? ""} />
        )}
        {fields.code.errors?.includes(PROMO_MESSAGES.unconfirmed) && (
          <p>
            <PageLink href="/account">Get the email again</PageLink>
          </p>
        )}
        <fieldset className="grid gap-2" hidden={Boolean(preview?.checked?.tier)}>
          <legend className="font-semibold pb-1.5">Plan</legend>
          {TIERS.map((tier) => (
            <label key={tier} className="choice">
              <input
                type="radio"
                name={fields.tier.name}
                value={tier}
                defaultChecked={tier === (fields.tier.initialValue ?? "basic")}
                onChange={() => look.choose(box.current?.value ?? "", tier)}
              />
              {`${PLAN_NAMES[tier]} (${TIER_NAMES[tier]})`}
            </label>
          ))}
          <p className="text-quiet text-[0.9375rem]">
            Some codes come with a plan. If yours does, this choice is ignored.
          </p>
        </fieldset>
        {!isPaying && (
          <p className="text-quiet text-[0.9375rem]">
            Nothing is charged. {isWaiting && !shown && !redeemed && WAITING_PROMISE}
          </p>
        )}
        <div className="flex flex-wrap gap-3">
          <SubmitButton isQuiet={isSecondary} pendingLabel="Checking…">
            Apply code
          </SubmitButton>
          {isSaid ? <noscript>{check}</noscript> : check}
        </div>
        <p role="status" className="sr-only">
          {fetcher.state === "submitting" && "Checking your code…"}
        </p>
      </PostForm>
    </div>
  );
  return (
    <>
      <div className="grid gap-4 content-start">
        {props.children}
        {isSaid && said}
      </div>
      {form}
    </>
  );
}

function tierIn(form: HTMLFormElement | null): string {
  return String(form ? new FormData(form).get("tier") : "");
}

/** The tier does not matter for a code with its own. */
function isAbout({ typed, chosen, checked }: CodeAnswer, code: string, tier: string): boolean {
  if (normalizePromoCode(typed) !== normalizePromoCode(code)) return false;
  return chosen === tier || checked === null || checked.tier !== null || checked.effect?.kind === "repeat";
}

function LogIn({ page, code }: { page: string; code: string }) {
  return (
    <p>
      <PageLink href={loginPath(`${page}?${new URLSearchParams({ promo: code })}`, "promo")}>Log in</PageLink>
    </p>
  );
}

export function RedeemedNotice(props: {
  redeemed: RedeemedCode;
  /** Seconds until the page leads to `to`, or reloads. */
  afterSuccess: { seconds: number; to?: { href: string; label: string } };
}) {
  const { redeemed } = props;
  const { seconds, to } = props.afterSuccess;
  const { year } = useRoot();
  const navigate = useNavigate();
  const { revalidate } = useRevalidator();
  // Not the object: a reload of a page opened with `?redeemed=` brings another one.
  useAfter(seconds, `${redeemed.code} ${redeemed.isRepeat}`, () => {
    void (to ? navigate(to.href) : revalidate());
  });
  return (
    <Focused>
      <Notice tone="good">
        <p>
          <strong>{redeemed.isRepeat ? "You’ve already applied this code." : "Promo code applied."}</strong>{" "}
          {redeemed.code} gives you {PLAN_NAMES[redeemed.tier]}
          {isForever(redeemed.expiresAt, year) ? (
            ". Never expires."
          ) : (
            <>
              {" "}
              until <PlanEnd tier={redeemed.tier} instant={redeemed.expiresAt} />.
            </>
          )}
        </p>
        <p>
          {to ? "Taking you to" : "It’s on"}{" "}
          <PageLink href={to?.href ?? "/dashboard"}>{to?.label ?? "your dashboard"}</PageLink>.
          {to && <NoScriptRefresh seconds={seconds} to={to.href} />}
        </p>
      </Notice>
    </Focused>
  );
}
