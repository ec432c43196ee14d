import type { App } from "../http/context.server.ts";
import type { Limit } from "../limits/limit.ts";
import { consumeLimit, hasHits } from "../limits/rate-limit.server.ts";
import { AUTH_LIMITS } from "./limits.ts";

// Failures are counted per account and network, so that an attacker cannot use up the owner's tries (decision 0047).

type Counting = Pick<App, "config" | "db" | "log">;

/** `account` is the address for passwords, the user's id for second factors. */
export interface TryAt {
  account: string;
  client: string;
}

/** The limits of one try: the network's, and the one of all networks unless the owner has signed in from this one. */
export async function failureLimits(
  app: Counting,
  { byNetwork, inAll }: { byNetwork: Limit; inAll: Limit },
  at: TryAt,
): Promise<{ limit: Limit; who: string }[]> {
  const ofNetwork = { limit: byNetwork, who: networkOf(at) };
  const isKnown = await hasHits(app, AUTH_LIMITS.knownNetwork, networkOf(at));
  return isKnown ? [ofNetwork] : [ofNetwork, { limit: inAll, who: at.account }];
}

/** Remembers a network the owner signed in from. Never rejects. */
export async function rememberNetwork(app: Counting, at: TryAt): Promise<void> {
  await consumeLimit(app, AUTH_LIMITS.knownNetwork, networkOf(at)).catch((error: unknown) =>
    app.log.warn({ error }, "a network could not be noted; it counts as unknown"),
  );
}

/** A network as limits by account and network name it. */
export const networkOf = ({ account, client }: TryAt) => `${account} ${client}`;
