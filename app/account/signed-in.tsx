import { useEffect, useRef } from "react";
import { Outlet, useFetcher } from "react-router";
import { markAccount } from "../auth/account-mark.server.ts";
import { isOnAdminList, isOperator, readSession } from "../auth/session.server.ts";
import { fromContext } from "../http/context.server.ts";
import { startTokenSync, type TokenSync } from "../tokens/token-sync.ts";
import { ACCOUNT_FIELD } from "../ui/account-mark.ts";
import type { RouteHandle } from "../ui/route-handle.ts";
import { UTC } from "../ui/time-zone.ts";
import type { Route } from "./+types/signed-in.ts";
import { photoOf } from "./photo/photo-rules.ts";

export const handle: RouteHandle = { hydrate: true, isSignedIn: true };

/** For the frame only: each page below checks the session itself. */
export async function loader(args: Route.LoaderArgs) {
  const session = await readSession(args).catch(() => undefined);
  // The database is away, which each page reports.
  if (session === undefined) return { person: undefined, tokenSync: null };
  if (!session) return { person: null, isAdmin: false, isOperator: false, tokenSync: null };
  const { name, email } = session.user;
  const { app } = fromContext(args.context);
  const url = app.config.tokenSyncUrl;
  const tokenSync: TokenSync | null = url ? { url, sessionId: session.id } : null;
  return {
    person: { name, email, image: photoOf(session.user) },
    isAdmin: isOnAdminList(app, session.user),
    isOperator: isOperator(app, session.user),
    tokenSync,
    accountMark: markAccount(app.config.authSecret, session.user),
    timeZone: session.user.timeZone,
  };
}

export default function SignedIn({ loaderData: { tokenSync, accountMark, timeZone } }: Route.ComponentProps) {
  useTokenSync(tokenSync, accountMark);
  useTimeZone(timeZone, accountMark);
  return <Outlet />;
}

/** When it differs from the zone known. Once a document. */
function useTimeZone(known: string | null | undefined, accountMark: string | undefined): void {
  const { submit } = useFetcher();
  const isTold = useRef(false);
  useEffect(() => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (!accountMark || isTold.current || zone === (known ?? UTC)) return;
    isTold.current = true;
    void submit(
      { time_zone: zone, [ACCOUNT_FIELD]: accountMark },
      { method: "post", action: "/account/time-zone" },
    );
  }, [known, accountMark, submit]);
}

function useTokenSync(tokenSync: TokenSync | null, accountMark: string | undefined): void {
  const { url, sessionId } = tokenSync ?? {};
  useEffect(() => {
    if (url && sessionId) return startTokenSync({ url, sessionId }, accountMark);
  }, [url, sessionId, accountMark]);
}
