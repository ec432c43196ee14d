import { symmetricDecrypt } from "better-auth/crypto";
import { jwt } from "better-auth/plugins/jwt";
import { inArray, sql } from "drizzle-orm";
import type { JSONWebKeySet, JWTPayload } from "jose";
import type { Database, Queryable } from "../db/client.server.ts";
import type { App } from "../http/context.server.ts";
import { jwks } from "./schema.ts";

/** ECDSA on P-256: the one elliptic curve that every JWT library verifies. */
export const ALGORITHM = "ES256";

const DAY_IN_SECONDS = 24 * 60 * 60;
const ROTATION_DAYS = 30;
/** How long a key that signs nothing any more is still published; the tokens it signed are dead much sooner. */
const GRACE_DAYS = 1;

/** Better Auth's keys: made when first needed, replaced every month, their private half encrypted with AUTH_SECRET. */
export function signingKeys() {
  return jwt({
    // A token is signed for whoever asks for one, not with every look at a session.
    disableSettingJwtHeader: true,
    jwks: {
      keyPairConfig: { alg: ALGORITHM },
      rotationInterval: ROTATION_DAYS * DAY_IN_SECONDS,
      gracePeriod: GRACE_DAYS * DAY_IN_SECONDS,
    },
  });
}

/** One at a time, or each of many processes makes its own. */
const FIRST_KEY_LOCK = 7_130_004;

/**
 * Makes the first key when a process starts, so that everybody who asks for a token or for the keys finds it.
 *
 * @param authWithin makes the key inside the transaction: one that waits for a second connection would stand still in
 *   a process whose connections are all taken by such transactions
 */
export async function ensureKey(db: Database, authWithin: (tx: Queryable) => App["auth"]): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${FIRST_KEY_LOCK})`);
    await authWithin(tx).api.getJwks();
  });
}

type Keys = Pick<App, "auth" | "db" | "log">;

/**
 * Signs with the newest key, or makes one. Keys that AUTH_SECRET does not open any more are thrown away, published half
 * and all: whoever changes the secret may do so because it was read, and whatever it had locked with it.
 */
export async function signPayload({ auth, db, log }: Keys, payload: JWTPayload): Promise<string> {
  const sign = () => auth.api.signJWT({ body: { payload } });
  const { token } = await sign().catch(async (error: unknown) => {
    if (!(await deleteUnreadableKeys({ auth, db, log }))) throw error;
    return sign();
  });
  return token;
}

/** The public halves, as they are published (RFC 7517). */
export async function publicKeys({ auth }: Pick<App, "auth">): Promise<JSONWebKeySet> {
  const { keys } = await auth.api.getJwks();
  return { keys: keys.map((key) => ({ ...key, use: "sig" })) };
}

/** Deletes the keys that are not published any more. */
export async function deleteExpiredKeys(db: Database): Promise<void> {
  await db.delete(jwks).where(sql`${jwks.expiresAt} < now() - make_interval(days => ${GRACE_DAYS}::int)`);
}

/** @returns whether there were any */
async function deleteUnreadableKeys({ auth, db, log }: Keys): Promise<boolean> {
  const { secretConfig } = await auth.$context;
  const keys = await db.select({ id: jwks.id, privateKey: jwks.privateKey }).from(jwks);
  const readings = await Promise.allSettled(
    keys.map(async ({ privateKey }) => symmetricDecrypt({ key: secretConfig, data: JSON.parse(privateKey) })),
  );
  const unreadable = keys.filter((_key, index) => readings[index]?.status === "rejected").map(({ id }) => id);
  if (unreadable.length === 0) return false;
  await db.delete(jwks).where(inArray(jwks.id, unreadable));
  log.warn({ keys: unreadable.length }, "AUTH_SECRET has changed: the keys it locked are replaced");
  return true;
}
