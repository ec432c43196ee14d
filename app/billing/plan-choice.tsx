import { type SubmitEvent, useEffect, useRef, useState } from "react";
import { useRevalidator } from "react-router";
import { buyingEarly, useFeatures } from "../entitlements/features.ts";
import { type KeptToken, keepToken } from "../tokens/kept-token.ts";
import { SubmitButton } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { useSite } from "../ui/site.ts";
import { BillingToggle, NotSoldInPeriod } from "./billing-toggle.tsx";
import { callCreateCheckoutSession } from "./call-checkout.ts";
import { type Choice, subscriptionPath } from "./choice.ts";
import { featuresLead, nextStep, PlanFeatures, PlanPrice } from "./plan-terms.tsx";
import { BILLING_MESSAGES, type Plan, type Price, periodsOf, priceFor } from "./plans.ts";

/** The plans side by side, yearly or monthly. The buttons work with and without JavaScript. */
export function PlanChoice(props: {
  plans: Plan[];
  origin: string;
  /** As chosen on the pricing page. */
  choice: Choice;
  error?: string;
}) {
  const { plans, origin, choice, error } = props;
  const checkout = useCheckout(origin);
  const features = useFeatures();
  const { failure } = checkout;
  const byChoice = (a: Plan, b: Plan) => Number(b.id === choice.plan) - Number(a.id === choice.plan);
  const isStillListed = plans.some(({ prices }) => prices.some(({ id }) => id === failure?.price));
  // The failure of a price that has left the page is shown above the plans.
  const delistedError = failure && !isStillListed ? failure.message : undefined;
  return (
    <div className="billing grid gap-6">
      {(delistedError ?? error) && <CheckoutError message={delistedError ?? error ?? ""} />}
      <p className="lead">{featuresLead(features)}</p>
      <BillingToggle plans={plans} billing={choice.billing} />
      <ul className="plans">
        {plans.toSorted(byChoice).map((plan) => (
          <li key={plan.id} className="sheet grid gap-5 content-start pb-6">
            <div className="grid gap-2 content-start">
              <h2>{plan.name}</h2>
              <p>{plan.description}</p>
              {plan.id === choice.plan && <p className="font-semibold">Your choice</p>}
            </div>
            {periodsOf(plans).map((interval) => {
              const price = priceFor(plan, interval);
              return price ? (
                <PriceOption key={interval} plan={plan} price={price} choice={choice} checkout={checkout} />
              ) : (
                <NotSoldInPeriod key={interval} plan={plan} interval={interval} />
              );
            })}
            <PlanFeatures tier={plan.tier} />
          </li>
        ))}
      </ul>
    </div>
  );
}

/** A price and its button. A plan that was chosen before is only to be confirmed, and the others step back. */
function PriceOption({
  plan,
  price,
  choice,
  checkout,
}: {
  plan: Plan;
  price: Price;
  choice: Choice;
  checkout: ReturnType<typeof useCheckout>;
}) {
  const { supportEmail } = useSite();
  const every = price.interval === "year" ? "yearly" : "monthly";
  const isChosen = plan.id === choice.plan;
  const label = isChosen ? "Continue to payment" : `Choose ${plan.name}`;
  // The URL carries the choice through login and through a failed checkout.
  const path = subscriptionPath({ plan: plan.id, billing: price.interval, promo: choice.promo });
  return (
    <form
      method="post"
      action={path}
      data-interval={price.interval}
      className="grid gap-3 justify-items-start content-start"
      onSubmit={(event) => checkout.start(event, price.id)}
      onPointerOver={checkout.prepare}
      onFocus={checkout.prepare}
    >
      <input type="hidden" name="price" value={price.id} />
      <PlanPrice plan={plan} price={price} />
      <SubmitButton
        isPending={checkout.pendingPrice === price.id}
        isQuiet={choice.plan === null ? choice.promo !== null : !isChosen}
        pendingLabel="Opening…"
        ariaLabel={isChosen ? `${label}: ${plan.name}, ${every}` : `${label}, ${every}`}
      >
        {label}
      </SubmitButton>
      {checkout.failure?.price === price.id && <CheckoutError message={checkout.failure.message} />}
      <p className="text-[0.9375rem]">{buyingEarly(plan.tier, useFeatures())}</p>
      <p className="text-quiet text-[0.9375rem]">
        {nextStep(price, false)} To cancel, email <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
      </p>
    </form>
  );
}

function CheckoutError({ message }: { message: string }) {
  return (
    <Notice tone="bad">
      <p className="font-semibold">{BILLING_MESSAGES.checkoutFailed}</p>
      {message !== BILLING_MESSAGES.checkoutFailed && <p>{message}</p>}
    </Notice>
  );
}

/** Submits the chosen price to the callable function instead of the form, so that a failure keeps the page. */
function useCheckout(origin: string) {
  const [pendingPrice, setPendingPrice] = useState<string | null>(null);
  const { revalidate } = useRevalidator();
  const [failure, setFailure] = useState<{ price: string; message: string } | null>(null);
  const kept = useRef<KeptToken | null>(null);

  useEffect(() => {
    const leaving = new AbortController();
    kept.current = keepToken(leaving.signal);
    kept.current.prepare();
    return () => leaving.abort();
  }, []);

  // The Back button restores the page from the browser's cache with its button still pending.
  useEffect(() => {
    const resetPending = () => setPendingPrice(null);
    window.addEventListener("pageshow", resetPending);
    return () => window.removeEventListener("pageshow", resetPending);
  }, []);

  async function start(event: SubmitEvent<HTMLFormElement>, price: string) {
    event.preventDefault();
    if (pendingPrice) return;
    const form = event.currentTarget;
    setFailure(null);
    setPendingPrice(price);
    const answer = await callCreateCheckoutSession(price, origin, kept.current?.current() ?? null);
    if ("url" in answer) return location.assign(answer.url);
    // The session ended while the page was open, or this browser has no app-check token: the form knows what to do.
    if (answer.code === "unauthenticated") return form.submit();
    setPendingPrice(null);
    setFailure({ price, message: answer.message });
    // The price is no longer on sale, so the plans shown are out of date.
    if (answer.code === "not-found") revalidate();
  }

  return { pendingPrice, failure, start, prepare: () => kept.current?.prepare() };
}
