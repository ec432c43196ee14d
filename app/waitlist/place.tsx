import { data, redirect } from "react-router";
import { fromContext } from "../http/context.server.ts";
import { readLinkToken } from "../http/secret-token.server.ts";
import { PRIVATE_HEADERS, PrivatePage } from "../ui/private-page.tsx";
import { useSite } from "../ui/site.ts";
import type { Route } from "./+types/place.ts";
import { readPlaceState } from "./confirm.server.ts";
import { DeadLink, deadLinkStatus } from "./dead-link.tsx";
import { referralLink } from "./links.ts";
import { findPlace, type Place } from "./place.server.ts";
import { PLACES_PER_FRIEND } from "./rules.ts";

export const headers: Route.HeadersFunction = () => PRIVATE_HEADERS;

export async function loader({ request, context }: Route.LoaderArgs) {
  const { db } = fromContext(context).app;
  const token = readLinkToken(request);
  const place = token && (await findPlace(db, token));
  if (place) return { place, token };
  const state = await readPlaceState(db, token);
  if (state === "waiting") return redirect(`/waitlist/confirm?token=${token}`);
  return data(null, { status: deadLinkStatus(state) });
}

export default function PlacePage({ loaderData }: Route.ComponentProps) {
  const { product } = useSite();
  if (!loaderData) return <DeadLink />;
  const { place, token } = loaderData;
  return (
    <PrivatePage title="Your place">
      <h1>
        You are <span className="label headline-label">number {place.number}</span>
      </h1>
      <p>
        That is your place on the waitlist of {product}, beta phase 1. Keep the address of this page to
        yourself: whoever has it can take you off the list.
      </p>
      <MoveUp place={place} />
      <h2 className="pt-4">What happens next</h2>
      <p>
        You do not need to do anything. When it is your turn we write to the address you confirmed. Until then
        CSV Processing and the Banking API are being built, and nothing is charged.
      </p>
      <p>
        <a href={`/waitlist/leave?token=${token}`} className="inline-flex items-center min-h-11">
          Leave the list
        </a>
      </p>
    </PrivatePage>
  );
}

function MoveUp({ place: { number, friends, referralCode } }: { place: Place }) {
  const site = useSite();
  return (
    <section className="grid gap-4 pt-4 w-full">
      <h2>{number === 1 ? "Stay at the top" : "Move up"}</h2>
      <p>
        {number === 1
          ? "You are at the top. Others move up too, and each friend who joins by your link and confirms helps you stay there. "
          : `Each friend who joins by your link and confirms moves you up ${PLACES_PER_FRIEND} places. `}
        <strong>{friendsSoFar(friends)}</strong>
      </p>
      <div className="grid gap-1.5">
        <label htmlFor="referral-link" className="font-semibold">
          Your link to share
        </label>
        <input
          id="referral-link"
          type="text"
          readOnly
          value={referralLink(referralCode, site)}
          autoComplete="off"
          className="field-input font-mono"
        />
      </div>
    </section>
  );
}

function friendsSoFar(friends: number): string {
  if (friends === 0) return "Nobody has so far.";
  return friends === 1 ? "One friend has so far." : `${friends} friends have so far.`;
}
