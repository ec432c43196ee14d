import { createHmac, hkdfSync, randomUUID } from "node:crypto";
import { and, desc, eq, gt, inArray, sql } from "drizzle-orm";
import {
  CompactEncrypt,
  type CryptoKey,
  compactDecrypt,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JSONWebKeySet,
  type JWTPayload,
  SignJWT,
} from "jose";
import type { Queryable } from "../db/client.server.ts";
import type { ExpiredRows } from "../db/delete-batches.server.ts";
import type { App } from "../http/context.server.ts";
import { jwks } from "./schema.ts";

/** ECDSA on P-256, which every JWT library verifies. */
export const ALGORITHM = "ES256";

const ROTATION_DAYS = 30;
/** Published longer than any token it signed is valid. */
const GRACE_DAYS = 1;

/** Otherwise each of many processes makes its own key. */
const NEW_KEY_LOCK = 7_130_004;

const PRIVATE_HALVES = "private halves of signing keys";

const PSEUDONYMS = "pseudonyms in the log";

/** A stable name for the log, which only AUTH_SECRET links to its address or network. */
export function pseudonymOf(authSecret: string, kind: "account" | "network", value: string): string {
  const hash = createHmac("sha256", keyFrom(authSecret, PSEUDONYMS)).update(`${kind}:${value}`);
  return hash.digest("base64url").slice(0, 16);
}

type KeyStore = Pick<App, "config" | "db">;
type SigningKey = typeof jwks.$inferSelect;

/** Created if there is none. Called at the start of a process, so that requests always find one. */
export async function ensureSigningKey({ config, db }: KeyStore): Promise<SigningKey> {
  const found = await findSigningKey(db);
  if (found) return found;
  return db.transaction(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(${NEW_KEY_LOCK})`);
    return (await findSigningKey(tx)) ?? (await createSigningKey(tx, config.authSecret));
  });
}

async function findSigningKey(db: Queryable): Promise<SigningKey | null> {
  const [newest] = await db
    .select()
    .from(jwks)
    .where(and(eq(jwks.alg, ALGORITHM), gt(jwks.expiresAt, sql`now()`)))
    .orderBy(desc(jwks.createdAt))
    .limit(1);
  return newest ?? null;
}

async function createSigningKey(tx: Queryable, authSecret: string): Promise<SigningKey> {
  const { publicKey, privateKey } = await generateKeyPair(ALGORITHM, { extractable: true });
  const [created] = await tx
    .insert(jwks)
    .values({
      id: randomUUID(),
      alg: ALGORITHM,
      publicKey: JSON.stringify(await exportJWK(publicKey)),
      privateKey: await seal(authSecret, PRIVATE_HALVES, JSON.stringify(await exportJWK(privateKey))),
      expiresAt: sql`now() + make_interval(days => ${ROTATION_DAYS}::int)`,
    })
    .returning();
  if (!created) throw new Error("no signing key was made");
  return created;
}

/** Signs with the newest key. Keys that AUTH_SECRET does not open are deleted: a changed secret may have leaked. */
export async function signPayload(app: Pick<App, "config" | "db" | "log">, payload: JWTPayload) {
  const { authSecrets } = app.config;
  const key = await ensureSigningKey(app);
  try {
    return await sign(key, await unlock(authSecrets, key));
  } catch (error) {
    const keys = await deleteUnreadableKeys(app.db, authSecrets);
    if (keys === 0) throw error;
    app.log.warn({ keys }, "AUTH_SECRET has changed: the keys it locked are replaced");
    const next = await ensureSigningKey(app);
    return sign(next, await unlock(authSecrets, next));
  }

  function sign({ id }: SigningKey, privateKey: CryptoKey): Promise<string> {
    return new SignJWT(payload).setProtectedHeader({ alg: ALGORITHM, kid: id }).sign(privateKey);
  }
}

/** RFC 7517. */
export async function publicKeys(app: KeyStore): Promise<JSONWebKeySet> {
  const published = gt(jwks.expiresAt, sql`now() - make_interval(days => ${GRACE_DAYS}::int)`);
  const keys = await app.db.select().from(jwks).where(published);
  const known = keys.length > 0 ? keys : [await ensureSigningKey(app)];
  return {
    keys: known.map(({ id, alg, publicKey }) => ({ ...JSON.parse(publicKey), alg, kid: id, use: "sig" })),
  };
}

export const EXPIRED_KEYS: ExpiredRows = {
  table: jwks,
  condition: sql`${jwks.expiresAt} < now() - make_interval(days => ${GRACE_DAYS}::int)`,
};

/** @returns how many; the next one is made when needed */
export async function deleteUnreadableKeys(db: Queryable, authSecrets: readonly string[]): Promise<number> {
  const keys = await db.select().from(jwks);
  const readings = await Promise.allSettled(keys.map((key) => unlock(authSecrets, key)));
  const unreadable = keys.filter((_key, index) => readings[index]?.status === "rejected").map(({ id }) => id);
  if (unreadable.length > 0) await db.delete(jwks).where(inArray(jwks.id, unreadable));
  return unreadable.length;
}

async function unlock(authSecrets: readonly string[], { privateKey }: SigningKey): Promise<CryptoKey> {
  const key = await importJWK(JSON.parse(await unseal(authSecrets, PRIVATE_HALVES, privateKey)), ALGORITHM);
  if (key instanceof Uint8Array) throw new TypeError("not a private key");
  return key;
}

/** Encrypts (RFC 7516) with a key derived from AUTH_SECRET for its purpose (RFC 5869). */
export function seal(authSecret: string, purpose: string, text: string): Promise<string> {
  return new CompactEncrypt(Buffer.from(text))
    .setProtectedHeader(sealedBy(authSecret))
    .encrypt(keyFrom(authSecret, purpose));
}

/** The header names the secret, so that what an earlier one sealed can be found. */
function sealedBy(authSecret: string) {
  const kid = Buffer.from(keyFrom(authSecret, "name of the secret")).toString("base64url").slice(0, 8);
  return { alg: "dir", enc: "A256GCM", kid };
}

/** Since version 0.9. */
export function sealedPrefix(authSecret: string): string {
  return `${Buffer.from(JSON.stringify(sealedBy(authSecret))).toString("base64url")}.`;
}

/** @throws when it was sealed with none of these secrets, or for another purpose */
export async function unseal(
  [authSecret = "", ...others]: readonly string[],
  purpose: string,
  sealed: string,
): Promise<string> {
  try {
    const { plaintext } = await compactDecrypt(sealed, keyFrom(authSecret, purpose));
    return Buffer.from(plaintext).toString();
  } catch (error) {
    if (others.length === 0) throw error;
    return unseal(others, purpose, sealed);
  }
}

/** RFC 5869. */
export function keyFrom(authSecret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync("sha256", authSecret, "", purpose, 32));
}
