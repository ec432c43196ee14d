import { data, redirect } from "react-router";
import { useFeatures } from "../entitlements/features.ts";
import { whatIsLive } from "../entitlements/state-of-the-app.ts";
import { PLAN_NAMES } from "../entitlements/tiers.ts";
import { fromContext } from "../http/context.server.ts";
import { ButtonLink } from "../ui/button.tsx";
import { WAITLIST_CODE } from "../ui/offer.ts";
import { PRIVATE_HEADERS, PrivateHead, PrivatePage } from "../ui/private-page.tsx";
import type { RouteHandle } from "../ui/route-handle.ts";
import { useSite } from "../ui/site.ts";
import { SupportLink } from "../ui/support-link.tsx";
import type { Route } from "./+types/place.ts";
import { readPlaceState } from "./confirm.server.ts";
import { DeadLink, deadLinkStatus } from "./dead-link.tsx";
import { redeemLink } from "./links.ts";
import { findPlace, type InvitedPlace, type WaitingPlace } from "./place.server.ts";
import { readPlaceLink } from "./place-token.server.ts";
import { freeTime, lastDayOf, PLACES_PER_FRIEND } from "./rules.ts";
import { ShareLink } from "./share-link.tsx";

export const handle: RouteHandle = { inlineScript: "share", isOnWaitlist: true };

export const headers: Route.HeadersFunction = () => PRIVATE_HEADERS;

export async function loader({ request, context }: Route.LoaderArgs) {
  const { app } = fromContext(context);
  const link = await readPlaceLink(request, app);
  const place = link?.id && (await findPlace(app.db, link.id));
  if (place) return { place, token: link.token };
  const state = await readPlaceState(app.db, link?.id ?? null);
  if (state === "waiting") return redirect(`/waitlist/confirm?token=${link?.token}`);
  return data(null, { status: deadLinkStatus(state) });
}

export default function PlacePage({ loaderData }: Route.ComponentProps) {
  const { product } = useSite();
  if (!loaderData) return <DeadLink />;
  const { place, token } = loaderData;
  if (place.isInvited) return <Invited place={place} token={token} />;
  return (
    <div className="page py-10 md:py-16 grid gap-10 md:grid-cols-[1.6fr_1fr] md:gap-16">
      <PrivateHead title="Your place" />
      <div className="grid gap-5 content-start">
        <h1>
          You are <span className="label headline-label">number {place.number}</span>
        </h1>
        <p className="measure">This is your place on the {product} waitlist.</p>
        <MoveUp place={place} />
      </div>
      <div className="grid gap-4 content-start md:pt-4">
        <h2>What happens next</h2>
        <p>
          {WAITLIST_CODE} Until then there is nothing you need to do. Follow{" "}
          <a href="/changelog">what we’re building</a>.
        </p>
        <p>Keep this page’s link private: anyone who has it can remove you from the list.</p>
        <LeaveLink token={token} />
      </div>
    </div>
  );
}

function MoveUp({ place: { number, friends, referralCode } }: { place: WaitingPlace }) {
  return (
    <section className="grid gap-4 pt-4">
      <h2>{number === 1 ? "Stay first" : "Move up"}</h2>
      <p>
        {number === 1
          ? "Friends who join with your link and confirm help you stay there."
          : `Each friend who joins with your link and confirms moves you up ${PLACES_PER_FRIEND} places.`}
      </p>
      <p>{friends === 0 ? "No friends have joined yet." : `Friends joined: ${friends}`}</p>
      <ShareLink referralCode={referralCode} />
    </section>
  );
}

function Invited({ place, token }: { place: InvitedPlace; token: string }) {
  const { code, state } = place;
  return (
    <PrivatePage title="It’s your turn">
      <h1>
        It’s <span className="label headline-label">your turn</span>
      </h1>
      <p>{whatIsLive(useFeatures())}</p>
      {!code && (
        <p>
          We are writing to you right now, with your code. Load this page again in a minute, or open the
          email.
        </p>
      )}
      {code && state === "good" && <GoodCode {...place} code={code} />}
      {state === "used" && (
        <>
          <p>Your code has been used. Your plan, and until when you have it, is on your dashboard.</p>
          <ButtonLink href="/dashboard">Go to the dashboard</ButtonLink>
        </>
      )}
      {state === "ended" && (
        <p>
          Your code can no longer be used. If you would still like to join, email <SupportLink />.
        </p>
      )}
      <LeaveLink token={token} />
    </PrivatePage>
  );
}

function LeaveLink({ token }: { token: string }) {
  return (
    <p>
      <a href={`/waitlist/leave?token=${token}`} className="inline-flex items-center min-h-11">
        Leave the list
      </a>
    </p>
  );
}

function GoodCode({ terms, code }: { terms: InvitedPlace["terms"]; code: string }) {
  const lastDay = lastDayOf(terms);
  return (
    <>
      <p>
        Your code gives you {freeTime(terms)} of {PLAN_NAMES[terms.tier]}: no card, and nothing to cancel. The
        free time starts when you apply it. It works once{lastDay && `, until the end of ${lastDay} (UTC)`}.
      </p>
      <div className="grid gap-1.5 w-full max-w-[27rem]">
        <p className="font-semibold">Your code</p>
        <p className="field-input font-mono select-all [overflow-wrap:anywhere]">{code}</p>
      </div>
      <ButtonLink href={redeemLink(code, { origin: "" })}>Sign up with your code</ButtonLink>
      <p>Already have an account? The button takes you to it, with the code filled in.</p>
    </>
  );
}
