import { data, type ShouldRevalidateFunctionArgs, useFetcher } from "react-router";
import { readUser } from "../auth/session.server.ts";
import { currentSubscription, type UserSubscription } from "../entitlements/subscription.server.ts";
import { End, Fact } from "../entitlements/subscription-facts.tsx";
import { FEATURE_NAMES, TIER_NAMES } from "../entitlements/tiers.ts";
import { fromContext } from "../http/context.server.ts";
import { readForm } from "../http/form.server.ts";
import { FormattedDate } from "../ui/formatted-date.tsx";
import { Notice } from "../ui/notice.tsx";
import { PrivateHead } from "../ui/private-page.tsx";
import { useSite } from "../ui/site.ts";
import type { Route } from "./+types/test-promo.ts";
import { answerAboutLink } from "./check.server.ts";
import { type PromoAnswer, promoUnsent } from "./promo-answer.ts";
import { PromoForm, RedeemedNotice } from "./promo-form.tsx";
import { readRedeemed, redeemOnPage } from "./redeem-action.server.ts";

export const clientAction = ({ serverAction }: Route.ClientActionArgs) => serverAction().catch(promoUnsent);

/** The plan is reloaded a second after a code was redeemed (spec §6). */
export function shouldRevalidate({ formMethod, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) {
  return formMethod === "POST" ? false : defaultShouldRevalidate;
}

export async function loader(args: Route.LoaderArgs) {
  const { app, state } = fromContext(args.context);
  const query = new URL(args.request.url).searchParams;
  const code = query.get("promo");
  try {
    const user = await readUser(args);
    const preview = await answerAboutLink(app, state, user, code, query.get("tier"));
    const answer = user ? await readRedeemed(app, user, args.request.url) : undefined;
    const subscription = user && (await currentSubscription(app.db, user.id));
    return data({ subscription, code, preview, answer });
  } catch (error) {
    if (error instanceof Response) throw error;
    app.log.error({ error, id: state.id }, "a subscription could not be read");
    // The form keeps what was typed.
    return data({ subscription: undefined, code, preview: null, answer: undefined }, { status: 503 });
  }
}

export async function action(args: Route.ActionArgs) {
  return redeemOnPage(args, await readForm(args.request), "/test-promo");
}

export default function TestPromo({ loaderData, actionData }: Route.ComponentProps) {
  const { product } = useSite();
  const fetcher = useFetcher<PromoAnswer>();
  const answer = fetcher.data ?? actionData ?? loaderData.answer;
  const { subscription } = loaderData;
  return (
    <div className="page grid gap-10 py-10">
      <PrivateHead title="Test a promo code" />
      <h1>Test a promo code</h1>
      <div className="grid gap-10 md:grid-cols-[27rem_1fr] md:gap-16 items-start">
        <section className="part" aria-labelledby="promo-heading">
          {answer?.redeemed && <RedeemedNotice redeemed={answer.redeemed} afterSuccess={{ seconds: 1 }} />}
          <PromoForm
            page="/test-promo"
            fetcher={fetcher}
            answer={answer}
            code={loaderData.code}
            preview={loaderData.preview}
            isSecondary={answer?.redeemed !== undefined}
            isPaying={subscription?.source === "paid"}
          >
            <h2 id="promo-heading">Redeem a code</h2>
          </PromoForm>
        </section>
        <section className="part" aria-labelledby="current">
          <h2 id="current">Current subscription</h2>
          <div aria-live="polite" className="grid gap-5">
            {subscription && <StoredSubscription subscription={subscription} />}
            {subscription === undefined && (
              <Notice tone="bad">We couldn’t load your subscription. Reload the page in a moment.</Notice>
            )}
            {subscription === null && (
              <p>{`No active subscription found. Please subscribe to access ${product} features.`}</p>
            )}
          </div>
        </section>
      </div>
    </div>
  );
}

/** Spec §2, Test-promo page. */
function StoredSubscription({ subscription }: { subscription: UserSubscription }) {
  const { status, tier, source, promoCode, createdAt, renews, features } = subscription;
  return (
    <dl className="grid">
      <Fact name="Status">{status}</Fact>
      <Fact name="Tier">
        {tier} <span className="text-quiet">({TIER_NAMES[tier]})</span>
      </Fact>
      <Fact name="Source">{source}</Fact>
      <Fact name="Promo code">{promoCode ?? "none"}</Fact>
      <Fact name="Created">
        <FormattedDate instant={createdAt} />
      </Fact>
      <Fact name={renews ? "Renews" : "Expires"}>
        <End {...subscription} />
      </Fact>
      <Fact name="Features">{features.map((feature) => FEATURE_NAMES[feature]).join(", ")}</Fact>
    </dl>
  );
}
