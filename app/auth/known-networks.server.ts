import type { App } from "../http/context.server.ts";
import type { Limit } from "../limits/limit.ts";
import { consumeLimit, hasHits } from "../limits/rate-limit.server.ts";
import { AUTH_LIMITS } from "./limits.ts";

// Wrong tries at an account are counted by network, so that nobody uses up those of its owner (decision 0047).

type Counting = Pick<App, "config" | "db" | "log">;

/** An account, by its address where a password is tried and by its user's id for a second factor; and who tries. */
export interface TryAt {
  account: string;
  client: string;
}

/** The limits of one try: those of its network, and those of all networks unless the account's owner has been there before. */
export async function failureLimits(
  app: Counting,
  { byNetwork, inAll }: { byNetwork: Limit; inAll: Limit },
  at: TryAt,
): Promise<{ limit: Limit; who: string }[]> {
  const ofNetwork = { limit: byNetwork, who: networkOf(at) };
  const isKnown = await hasHits(app, AUTH_LIMITS.knownNetwork, networkOf(at));
  return isKnown ? [ofNetwork] : [ofNetwork, { limit: inAll, who: at.account }];
}

/** Notes that the owner of an account was right from a network. Never rejects: it only spares them a limit. */
export async function noteNetwork(app: Counting, at: TryAt): Promise<void> {
  await consumeLimit(app, AUTH_LIMITS.knownNetwork, networkOf(at)).catch((error: unknown) =>
    app.log.warn({ error }, "a network could not be noted; it counts as unknown"),
  );
}

/** A network as limits by account and network name it. */
export const networkOf = ({ account, client }: TryAt) => `${account} ${client}`;
