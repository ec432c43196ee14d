import { data, redirect } from "react-router";
import { fromContext } from "../http/context.server.ts";
import { PRIVATE_HEADERS, PrivatePage } from "../ui/private-page.tsx";
import { useSite } from "../ui/site.ts";
import type { Route } from "./+types/confirm.ts";
import { confirmPlace, readPlaceState } from "./confirm.server.ts";
import { DeadLink, deadLinkStatus } from "./dead-link.tsx";
import { readPlaceLink } from "./place-token.server.ts";
import { DAYS_TO_CONFIRM } from "./rules.ts";

export const headers: Route.HeadersFunction = () => PRIVATE_HEADERS;

export async function loader({ request, context }: Route.LoaderArgs) {
  const { app } = fromContext(context);
  const link = await readPlaceLink(request, app);
  const state = await readPlaceState(app.db, link?.id ?? null);
  if (state === "confirmed") return redirect(`/waitlist/place?token=${link?.token}`);
  const isWaiting = state === "waiting";
  return data({ isWaiting }, { status: isWaiting ? 200 : deadLinkStatus(state) });
}

export async function action({ request, context }: Route.ActionArgs) {
  const { app } = fromContext(context);
  const link = await readPlaceLink(request, app);
  if (link?.id) await confirmPlace(app.db, app.config, link.id);
  const state = await readPlaceState(app.db, link?.id ?? null);
  if (state === "confirmed") return redirect(`/waitlist/place?token=${link?.token}`, 303);
  return data(null, { status: deadLinkStatus(state) });
}

export default function Confirm({ loaderData: { isWaiting } }: Route.ComponentProps) {
  const { product } = useSite();
  if (!isWaiting) return <DeadLink />;
  return (
    <PrivatePage title="Confirm your place">
      <h1>Confirm your place</h1>
      <p>One more click to join the {product} waitlist.</p>
      <form method="post">
        <button type="submit" className="button">
          Confirm my place
        </button>
      </form>
      <p className="text-quiet">
        Not you? Close this page. If an email address isn’t confirmed within {DAYS_TO_CONFIRM} days, we delete
        it.
      </p>
    </PrivatePage>
  );
}
