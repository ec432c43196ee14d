import { listPlansOnSale } from "../billing/catalogue.server.ts";
import { describePrice } from "../billing/plans.ts";
import { fromContext } from "../context.server.ts";
import { ButtonLink } from "../ui/button.tsx";
import { Prose } from "../ui/prose.tsx";
import { waitlistOffer } from "../waitlist/offer.server.ts";
import { WaitlistSection } from "../waitlist/waitlist.tsx";
import type { Route } from "./+types/pricing.ts";
import { pageMeta } from "./title.ts";

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(matches, "Pricing", "Two plans, monthly or yearly, and what each of them includes.");

export const handle = { hasWaitlist: true };

export async function loader({ context }: Route.LoaderArgs) {
  const { app } = fromContext(context);
  return { plans: await listPlansOnSale(app), waitlist: waitlistOffer(app) };
}

export default function Pricing({ loaderData: { plans, waitlist } }: Route.ComponentProps) {
  return (
    <>
      <Prose>
        <h1>Pricing</h1>
        {plans.map((plan) => (
          <section key={plan.id} className="grid gap-2 w-full border-t border-rule pt-4">
            <h2>{plan.name}</h2>
            <p>{plan.description}</p>
            <ul className="label-list">
              {plan.prices.map((price) => (
                <li key={price.id} className="amount whitespace-normal">
                  {describePrice(price)}
                </li>
              ))}
            </ul>
          </section>
        ))}
        <ButtonLink href="/subscription">Choose a plan</ButtonLink>
        <p className="text-quiet">
          You will be asked to sign in or sign up first. Nothing is charged before the payment page.
        </p>
      </Prose>
      <WaitlistSection offer={waitlist} idPrefix="pricing" />
    </>
  );
}
