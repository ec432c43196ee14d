import { data, redirect } from "react-router";
import { fromContext } from "../http/context.server.ts";
import { isForPage } from "../http/form.server.ts";
import { ButtonLink } from "../ui/button.tsx";
import { PRIVATE_HEADERS, PrivatePage } from "../ui/private-page.tsx";
import type { RouteHandle } from "../ui/route-handle.ts";
import type { Route } from "./+types/leave.ts";
import { readPlaceState } from "./confirm.server.ts";
import { DeadLink } from "./dead-link.tsx";
import { leaveWaitlist } from "./leave.server.ts";
import { readPlaceLink } from "./place-token.server.ts";

export const handle: RouteHandle = { isOnWaitlist: true };

export const headers: Route.HeadersFunction = () => PRIVATE_HEADERS;

export async function loader({ request, context }: Route.LoaderArgs) {
  const { app } = fromContext(context);
  const link = await readPlaceLink(request, app);
  if (!link) return data({ token: null, isOnList: false }, { status: 404 });
  const state = await readPlaceState(app.db, link.id);
  return { token: link.token, isOnList: state !== "unknown" };
}

/** Also the one-click unsubscribe of mail programs (RFC 8058), without cookie or Origin: the token is enough. */
export async function action({ request, context }: Route.ActionArgs) {
  const { app } = fromContext(context);
  const link = await readPlaceLink(request, app);
  if (!link) return data(null, { status: 404 });
  if (link.id) await leaveWaitlist(app.db, [link.id]);
  return isForPage(request) ? redirect(`/waitlist/leave?token=${link.token}`, 303) : null;
}

export default function Leave({ loaderData: { token, isOnList } }: Route.ComponentProps) {
  if (!token) return <DeadLink />;
  if (!isOnList) return <HasLeft />;
  return (
    <PrivatePage title="Leave the waitlist">
      <h1>Leave the waitlist?</h1>
      <p>
        We’ll delete your email address and your place right away, and send no more waitlist emails. You can
        join again later, at the end of the list.
      </p>
      <div className="flex flex-wrap gap-4">
        <form method="post">
          <button type="submit" className="button border-coral text-coral" data-quiet="">
            Leave the waitlist
          </button>
        </form>
        <ButtonLink href={`/waitlist/place?token=${token}`} isQuiet>
          Keep my place
        </ButtonLink>
      </div>
    </PrivatePage>
  );
}

function HasLeft() {
  return (
    <PrivatePage title="You have left">
      <h1>You’ve left the waitlist</h1>
      <p>Your email address is deleted, and you will get no more waitlist emails from us.</p>
      <div className="flex flex-wrap gap-4">
        <ButtonLink href="/">Go to the home page</ButtonLink>
        <ButtonLink href="/waitlist" isQuiet>
          Join again
        </ButtonLink>
      </div>
    </PrivatePage>
  );
}
