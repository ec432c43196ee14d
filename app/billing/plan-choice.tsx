import { type SubmitEvent, useEffect, useState } from "react";
import { useRevalidator } from "react-router";
import { FEATURE_NAMES, FEATURES_BY_TIER } from "../entitlements/tiers.ts";
import { loginPath } from "../http/safe-path.ts";
import { SubmitButton } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { useSite } from "../ui/site.ts";
import { BillingToggle, NotSoldInPeriod } from "./billing-toggle.tsx";
import { callCreateCheckoutSession } from "./call-checkout.ts";
import { type Choice, subscriptionPath } from "./choice.ts";
import {
  BILLING_MESSAGES,
  describePrice,
  formatMoney,
  type Plan,
  type Price,
  periodsOf,
  priceFor,
} from "./plans.ts";

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
  const { failure } = checkout;
  const isStillListed = plans.some(({ prices }) => prices.some(({ id }) => id === failure?.price));
  // The failure of a price that has left the page is shown above the plans.
  const delistedError = failure && !isStillListed ? failure.message : undefined;
  return (
    <div className="billing grid gap-6">
      {(delistedError ?? error) && <CheckoutError message={delistedError ?? error ?? ""} />}
      <Notice tone="plain">
        Beta, phase 1: {FEATURE_NAMES.csv_processing} and the {FEATURE_NAMES.banking_api} are not open yet. If
        you pay now, they open in your account as they arrive.
      </Notice>
      <BillingToggle plans={plans} billing={choice.billing} />
      <ul className="grid gap-6 md:grid-cols-2">
        {plans.map((plan) => (
          <li
            key={plan.id}
            className="flex flex-col gap-4 bg-sheet border-[1.5px] border-edge rounded-[2px] p-6 sm:p-8"
          >
            <h2>{plan.name}</h2>
            {plan.id === choice.plan && (
              <p>
                <span className="label text-[0.9375rem] font-semibold">Your choice</span>
              </p>
            )}
            <p>{plan.description}</p>
            <ul className="list">
              {FEATURES_BY_TIER[plan.tier].map((feature) => (
                <li key={feature}>
                  {FEATURE_NAMES[feature]} <span className="text-quiet">(coming soon)</span>
                </li>
              ))}
            </ul>
            {periodsOf(plans).map((interval) => {
              const price = priceFor(plan, interval);
              return price ? (
                <PriceOption
                  key={interval}
                  plan={plan}
                  price={price}
                  promo={choice.promo}
                  checkout={checkout}
                />
              ) : (
                <NotSoldInPeriod key={interval} plan={plan} interval={interval} />
              );
            })}
          </li>
        ))}
      </ul>
    </div>
  );
}

function PriceOption({
  plan,
  price,
  promo,
  checkout,
}: {
  plan: Plan;
  price: Price;
  promo: string | null;
  checkout: ReturnType<typeof useCheckout>;
}) {
  const { supportEmail } = useSite();
  const every = price.interval === "year" ? "yearly" : "monthly";
  // The URL carries the choice through login and through a failed checkout.
  const path = subscriptionPath({ plan: plan.id, billing: price.interval, promo });
  return (
    <form
      method="post"
      action={path}
      data-interval={price.interval}
      className="grid gap-3 justify-items-start mt-auto"
      onSubmit={(event) => checkout.start(event, price.id, path)}
    >
      <input type="hidden" name="price" value={price.id} />
      <p className="amount whitespace-normal text-[1.15rem] font-semibold">{describePrice(price)}</p>
      <SubmitButton
        isPending={checkout.pendingPrice === price.id}
        pendingLabel="Opening the payment page…"
        ariaLabel={`Choose ${plan.name}, ${every}`}
      >
        Choose {plan.name}
      </SubmitButton>
      {checkout.failure?.price === price.id && <CheckoutError message={checkout.failure.message} />}
      <p className="text-quiet text-[0.9375rem]">
        Next: the payment page. There you pay {formatMoney(price.unitAmount, price.currency)} today; it renews{" "}
        {every} until you cancel, by writing to {supportEmail}.
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

  // The Back button restores the page from the browser's cache with its button still pending.
  useEffect(() => {
    const resetPending = () => setPendingPrice(null);
    window.addEventListener("pageshow", resetPending);
    return () => window.removeEventListener("pageshow", resetPending);
  }, []);

  /** @param path this page with the choice, to return to after login */
  async function start(event: SubmitEvent<HTMLFormElement>, price: string, path: string) {
    event.preventDefault();
    if (pendingPrice) return;
    setFailure(null);
    setPendingPrice(price);
    const answer = await callCreateCheckoutSession(price, origin);
    if ("url" in answer) return location.assign(answer.url);
    // The session ended while the page was open.
    if (answer.code === "unauthenticated") return location.assign(loginPath(path, "subscribe"));
    setPendingPrice(null);
    setFailure({ price, message: answer.message });
    // The price is no longer on sale, so the plans shown are out of date.
    if (answer.code === "not-found") revalidate();
  }

  return { pendingPrice, failure, start };
}
