import { and, eq, gt, isNull, sql } from "drizzle-orm";
import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import type { Queryable } from "../../db/client.server.ts";
import type { ExpiredRows } from "../../db/delete-batches.server.ts";
import type { App } from "../../http/context.server.ts";
import { hashSecret } from "../../http/secret-token.server.ts";
import { providerFlows } from "../schema.ts";
import type { ConnectedProvider } from "./connect.server.ts";
import { type FlowTarget, POPUP_NONCE } from "./flow-paths.ts";
import type { Intent, Provider } from "./providers.ts";
import type { SignInError } from "./sign-in-errors.ts";

const FLOW_MINUTES = 10;

/** Spec §4: profile and email, select-account prompt. */
const AUTHORIZATION_PARAMS: Record<Provider, (intent: Intent) => Record<string, string>> = {
  google: () => ({ scope: "openid profile email", prompt: "select_account" }),
  facebook: (intent) => ({
    scope: "public_profile email",
    // Otherwise one press would do in a browser that is signed in there.
    ...(intent === "confirm" && { auth_type: "reauthenticate" }),
  }),
};

export interface NewFlow extends FlowTarget {
  /** `null` exactly when the intent is to sign in. */
  userId: string | null;
  browserHash: string;
}

export type Flow = typeof providerFlows.$inferSelect;

/** @returns where the browser goes; `null` when another browser's popup has this nonce */
export async function beginFlow(
  { db, config }: Pick<App, "db" | "config">,
  { client }: ConnectedProvider,
  begun: NewFlow,
): Promise<URL | null> {
  const [nonce, codeVerifier] = [randomNonce(), randomPKCECodeVerifier()];
  const state = begun.popupNonce ? `${randomState()}.${begun.popupNonce}` : randomState();
  const values = {
    ...begun,
    stateHash: hashSecret(state),
    nonce,
    codeVerifier,
    expiresAt: sql`now() + make_interval(mins => ${FLOW_MINUTES}::int)`,
    usedAt: null,
    outcome: null,
  };
  const { rowCount } = await db
    .insert(providerFlows)
    .values(values)
    .onConflictDoUpdate({
      target: providerFlows.popupNonce,
      set: values,
      setWhere: eq(providerFlows.browserHash, begun.browserHash),
    });
  if (!rowCount) return null;
  return buildAuthorizationUrl(client, {
    ...AUTHORIZATION_PARAMS[begun.provider](begun.intent),
    redirect_uri: callbackUrl(config.publicOrigin, begun.provider),
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: "S256",
  });
}

/** For telling the opener while the flow cannot be looked up. No secret. */
export function popupNonceOf(state: string): string | null {
  const [, popupNonce = ""] = state.split(".", 2);
  return POPUP_NONCE.test(popupNonce) ? popupNonce : null;
}

/** As registered at the provider. */
export function callbackUrl(publicOrigin: string, provider: Provider): string {
  return `${publicOrigin}/auth/callback/${provider}`;
}

interface Return {
  state: string;
  provider: Provider;
  browserHash: string | null;
}

/** Of concurrent returns one gets the flow: the guard is on the UPDATE. @returns `null`: used, expired, another's, or unknown */
export async function consumeFlow(db: Queryable, { state, provider, browserHash }: Return) {
  const [flow] = await db
    .update(providerFlows)
    .set({ usedAt: sql`now()` })
    .where(
      and(
        eq(providerFlows.stateHash, hashSecret(state)),
        eq(providerFlows.provider, provider),
        eq(providerFlows.browserHash, browserHash ?? ""),
        isNull(providerFlows.usedAt),
        gt(providerFlows.expiresAt, sql`now()`),
      ),
    )
    .returning();
  return flow ?? null;
}

/** For the browser that began it, or one without cookies, which cannot show that it did. */
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
        eq(providerFlows.stateHash, hashSecret(state)),
        eq(providerFlows.provider, provider),
        isWithoutCookies ? undefined : eq(providerFlows.browserHash, browserHash ?? ""),
      ),
    );
  return flow ?? null;
}

/** For an opener that the popup could not notify. */
export async function noteOutcome(db: Queryable, flow: Flow, outcome: "ok" | SignInError): Promise<void> {
  await db.update(providerFlows).set({ outcome }).where(eq(providerFlows.stateHash, flow.stateHash));
}

/** For the browser that began it. Its outcome is `null` while it has not ended. */
export async function readOutcome(db: Queryable, popupNonce: string, browserHash: string | null) {
  const [flow] = await db
    .select({ outcome: providerFlows.outcome, intent: providerFlows.intent })
    .from(providerFlows)
    .where(and(eq(providerFlows.popupNonce, popupNonce), eq(providerFlows.browserHash, browserHash ?? "")));
  return flow ?? null;
}

/** Kept for an hour more, so that late returns are answered where they began. */
export const EXPIRED_FLOWS: ExpiredRows = {
  table: providerFlows,
  condition: sql`${providerFlows.expiresAt} < now() - interval '1 hour'`,
};
