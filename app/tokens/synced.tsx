import { useEffect } from "react";
import { Outlet } from "react-router";
import { readSession } from "../account/session.server.ts";
import { fromContext } from "../context.server.ts";
import type { Route } from "./+types/synced.ts";
import { startTokenSync, type TokenSync } from "./token-sync.ts";

/** For the pages of signed-in people, and no others: where to tell of them. */
export async function loader(args: Route.LoaderArgs): Promise<TokenSync | null> {
  const url = fromContext(args.context).app.config.tokenSyncUrl;
  const session = url === null ? null : await readSession(args);
  return url !== null && session ? { url, sessionId: session.id } : null;
}

export default function Synced({ loaderData }: Route.ComponentProps) {
  const { url, sessionId } = loaderData ?? {};
  useEffect(() => (url && sessionId ? startTokenSync({ url, sessionId }) : undefined), [url, sessionId]);
  return <Outlet />;
}
