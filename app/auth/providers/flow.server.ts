import { and, eq, gt, isNull, sql } from "drizzle-orm";
import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import type { Queryable } from "../../db/client.server.ts";
import { deleteInBatches } from "../../db/delete-batches.server.ts";
import { hashOfSecret } from "../../db/secret-hash.server.ts";
import type { App } from "../../http/context.server.ts";
import { providerFlows } from "../schema.ts";
import type { ConnectedProvider } from "./connect.server.ts";
import { POPUP_NONCE } from "./flow-paths.ts";
import type { Intent, Provider } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";

/** How long somebody may take at the provider. */
const FLOW_MINUTES = 10;

/** What the provider is asked to tell, and to ask of the person (spec §4: profile and email, select-account prompt). */
const ASKED: Record<Provider, (intent: Intent) => Record<string, string>> = {
  google: () => ({ scope: "openid profile email", prompt: "select_account" }),
  facebook: (intent) => ({
    scope: "public_profile email",
    // Otherwise whoever finds the browser signed in there confirms with one press.
    ...(intent === "confirm" && { auth_type: "reauthenticate" }),
  }),
};

export interface NewFlow {
  provider: Provider;
  intent: Intent;
  /** Who is signed in; `null` exactly when the intent is to sign in. */
  userId: string | null;
  browserHash: string;
  /** `null` without a popup. */
  popupNonce: string | null;
  returnTo: string;
}

export type Flow = typeof providerFlows.$inferSelect;

/**
 * Begins a sign-in at a provider. A popup that is loaded anew begins its flow anew.
 *
 * @returns where the browser goes; `null` when another browser's popup has this nonce
 */
export async function beginFlow(
  { db, config }: Pick<App, "db" | "config">,
  { client }: ConnectedProvider,
  begun: NewFlow,
): Promise<URL | null> {
  const [nonce, codeVerifier] = [randomNonce(), randomPKCECodeVerifier()];
  const state = begun.popupNonce ? `${randomState()}.${begun.popupNonce}` : randomState();
  const values = {
    ...begun,
    stateHash: hashOfSecret(state),
    nonce,
    codeVerifier,
    expiresAt: sql`now() + make_interval(mins => ${FLOW_MINUTES}::int)`,
    usedAt: null,
    outcome: null,
  };
  const written = await db
    .insert(providerFlows)
    .values(values)
    .onConflictDoUpdate({
      target: providerFlows.popupNonce,
      set: values,
      setWhere: eq(providerFlows.browserHash, begun.browserHash),
    })
    .returning({ provider: providerFlows.provider });
  if (written.length === 0) return null;
  return buildAuthorizationUrl(client, {
    ...ASKED[begun.provider](begun.intent),
    redirect_uri: callbackUrl(config.publicOrigin, begun.provider),
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
  });
}

/**
 * The popup a state was made for, on the word of the state alone: for saying where it is heard that its flow cannot be
 * looked up. The nonce is no secret; what a flow is for only its row says.
 */
export function popupNonceOf(state: string): string | null {
  const [, popupNonce = ""] = state.split(".", 2);
  return POPUP_NONCE.test(popupNonce) ? popupNonce : null;
}

/** Where a provider sends people back to; each knows this very address. */
export function callbackUrl(publicOrigin: string, provider: Provider): string {
  return `${publicOrigin}/auth/callback/${provider}`;
}

interface Return {
  state: string;
  provider: Provider;
  browserHash: string | null;
}

/**
 * Uses up the flow somebody came back with. Of any number at once one gets it: the guard is on the UPDATE.
 *
 * @returns `null` when it is used, expired, another provider's, another browser's or was never begun
 */
export async function takeFlow(
  db: Queryable,
  { state, provider, browserHash }: Return,
): Promise<Flow | null> {
  const [flow] = await db
    .update(providerFlows)
    .set({ usedAt: sql`now()` })
    .where(
      and(
        eq(providerFlows.stateHash, hashOfSecret(state)),
        eq(providerFlows.provider, provider),
        eq(providerFlows.browserHash, browserHash ?? ""),
        isNull(providerFlows.usedAt),
        gt(providerFlows.expiresAt, sql`now()`),
      ),
    )
    .returning();
  return flow ?? null;
}

/**
 * The flow of somebody who may not use it, to say so where it was begun: to the very browser that began it, or to one
 * that keeps no cookies and so cannot show that it did.
 */
export async function findRefusedFlow(
  db: Queryable,
  { state, provider, browserHash }: Return,
  isWithoutCookies: boolean,
): Promise<Flow | null> {
  const [flow] = await db
    .select()
    .from(providerFlows)
    .where(
      and(
        eq(providerFlows.stateHash, hashOfSecret(state)),
        eq(providerFlows.provider, provider),
        isWithoutCookies ? undefined : eq(providerFlows.browserHash, browserHash ?? ""),
      ),
    );
  return flow ?? null;
}

/** Notes how a flow ended, for an opener whom the popup could not tell. */
export async function noteOutcome(db: Queryable, flow: Flow, outcome: "ok" | SignInError): Promise<void> {
  await db.update(providerFlows).set({ outcome }).where(eq(providerFlows.stateHash, flow.stateHash));
}

/** How the flow of a popup ended, for the very browser that began it; `null` when it has not, or is not there. */
export async function readOutcome(
  db: Queryable,
  popupNonce: string,
  browserHash: string | null,
): Promise<{ outcome: string | null; intent: Intent } | null> {
  const [flow] = await db
    .select({ outcome: providerFlows.outcome, intent: providerFlows.intent })
    .from(providerFlows)
    .where(and(eq(providerFlows.popupNonce, popupNonce), eq(providerFlows.browserHash, browserHash ?? "")));
  return flow ?? null;
}

/** Deletes what nobody comes back to. Expired ones stay for an hour, in which late-comers are told where they began. */
export async function deleteExpiredFlows(db: Queryable): Promise<void> {
  await deleteInBatches(db, providerFlows, sql`${providerFlows.expiresAt} < now() - interval '1 hour'`);
}
