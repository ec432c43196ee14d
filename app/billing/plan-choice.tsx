import { SubmitButton } from "../ui/button.tsx";
import { Notice } from "../ui/notice.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { type Choice, subscriptionPath } from "./choice.ts";
import { BillingToggle, NotSoldInPeriod, PlanFeatures, PlanPrice } from "./plan-terms.tsx";
import { BILLING_MESSAGES, type Plan, type Price, periodsOf, priceFor } from "./plans.ts";
import type { Promised } from "./promises.server.ts";
import { useCheckout } from "./use-checkout.ts";

interface Offer {
  /** What is charged, by the price's id. */
  terms: Record<string, string>;
  promises: Record<string, Promised[]>;
  /** For somebody with a promo code, which comes first. */
  isQuiet?: boolean;
  choice: Choice;
  checkout: ReturnType<typeof useCheckout>;
}

export function PlanChoice(
  props: Omit<Offer, "checkout"> & { plans: Plan[]; lead: string; origin: string; error?: string },
) {
  const { plans, lead, origin, error, ...rest } = props;
  const { choice } = rest;
  const chosen = plans.find(({ id }) => id === choice.plan);
  const interval = choice.billing ?? periodsOf(plans)[0] ?? "year";
  const chosenPrice = chosen && (priceFor(chosen, interval) ?? chosen.prices[0]);
  const checkout = useCheckout(origin);
  const offer = { ...rest, checkout };
  const all = <AllPlans {...offer} plans={plans} lead={lead} chosen={chosenPrice?.id} />;
  const hasOthers = plans.some(({ prices }) => prices.some(({ id }) => id !== chosenPrice?.id));
  const { failure } = checkout;
  const isSaidBelow = plans.some(({ prices }) => prices.some(({ id }) => id === failure?.price));
  const message = failure && !isSaidBelow ? failure.message : error;
  return (
    <div className={`grid gap-6 ${rest.isQuiet ? "part" : ""}`}>
      {rest.isQuiet && <h2>Or buy a plan</h2>}
      {message && <CheckoutError message={message} />}
      {chosen && chosenPrice ? (
        <>
          <section className="sheet grid gap-5 part-columns pb-6" aria-labelledby="chosen">
            <div className="grid gap-5">
              <h2 id="chosen">{chosen.name}</h2>
              <PriceOption {...offer} plan={chosen} price={chosenPrice} isChosen />
            </div>
            <Promises promises={rest.promises[chosen.id]} />
            <PlanFeatures tier={chosen.tier} isInFull />
          </section>
          {hasOthers && (
            <details>
              <summary className="folded">Other plans and periods</summary>
              {all}
            </details>
          )}
        </>
      ) : (
        all
      )}
    </div>
  );
}

/** @param props.chosen the price that stands above: the others then need no switch between periods */
function AllPlans({
  plans,
  lead,
  chosen,
  ...offer
}: Offer & { plans: Plan[]; lead: string; chosen?: string }) {
  const [promises, ...others] = plans.map(({ id }) => offer.promises[id]);
  const isSaidOnce = others.every((other) => String(other) === String(promises));
  return (
    <div className={`billing grid gap-6 ${chosen ? "pt-4" : ""}`}>
      {!chosen && (
        <>
          <p className="lead">{lead}</p>
          {isSaidOnce && <Promises promises={promises} />}
          <BillingToggle plans={plans} billing={offer.choice.billing} />
        </>
      )}
      <ul className="plans">
        {plans.map((plan) => {
          const others = plan.prices.filter(({ id }) => id !== chosen);
          if (others.length === 0) return null;
          const periods = periodsOf(chosen ? [{ ...plan, prices: others }] : plans);
          return (
            <li key={plan.id} className="sheet grid gap-5 content-start pb-6">
              <h2>{plan.name}</h2>
              {periods.map((interval) => {
                const price = priceFor(plan, interval);
                if (!price) return <NotSoldInPeriod key={interval} plan={plan} interval={interval} />;
                return (
                  <div key={interval} data-interval={interval}>
                    <PriceOption
                      {...offer}
                      plan={plan}
                      price={price}
                      isQuiet={offer.isQuiet || chosen !== undefined}
                      isAmongOthers={chosen !== undefined}
                    />
                  </div>
                );
              })}
              <div className="grid gap-5 content-start">
                {!chosen && !isSaidOnce && <Promises promises={offer.promises[plan.id]} />}
                <PlanFeatures tier={plan.tier} />
              </div>
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function Promises({ promises = [] }: { promises: Promised[] | undefined }) {
  return (
    <ul className="promises">
      {promises.map(([first, rest]) => (
        <li key={first}>
          <strong>{first}</strong>
          {rest}
        </li>
      ))}
    </ul>
  );
}

/** The button works with JavaScript (`useCheckout`) and without. */
function PriceOption(
  props: Offer & { plan: Plan; price: Price; isChosen?: boolean; isAmongOthers?: boolean },
) {
  const { plan, price, terms, choice, checkout, isChosen, isAmongOthers, isQuiet } = props;
  const period = `${price.interval}ly`;
  const label = isChosen ? "Continue to payment" : `Choose ${isAmongOthers ? period : plan.name}`;
  // The URL carries the choice through login and a failed checkout.
  const path = subscriptionPath({ plan: plan.id, billing: price.interval, promo: choice.promo });
  return (
    <PostForm
      action={path}
      className="grid gap-3 justify-items-start content-start"
      onSubmit={(event) => checkout.onSubmit(event, price.id)}
      isSending={checkout.opening === price.id}
    >
      <input type="hidden" name="price" value={price.id} />
      <PlanPrice plan={plan} price={price} />
      <SubmitButton
        isQuiet={isQuiet}
        pendingLabel="Opening…"
        ariaLabel={isChosen || isAmongOthers ? `${label}: ${plan.name}, ${period}` : `${label}, ${period}`}
      >
        {label}
      </SubmitButton>
      {checkout.failure?.price === price.id && <CheckoutError message={checkout.failure.message} />}
      <p className="text-quiet text-[0.9375rem]">
        {!isAmongOthers && "Next: Stripe’s payment page. "}
        {terms[price.id]}
      </p>
    </PostForm>
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
