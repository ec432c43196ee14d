import { randomBytes, randomUUID, scrypt, timingSafeEqual } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import type { Queryable } from "../db/client.server.ts";
import { account, user } from "./schema.ts";

/** `provider_id` of a password. */
export const BY_PASSWORD = "credential";

export interface StoredPassword {
  userId: string;
  hash: string;
}

/** The same work without a stored password, so that the time reveals nothing. @returns the stored password compared with */
export async function checkPassword(
  db: Queryable,
  stored: StoredPassword | null,
  password: string,
): Promise<StoredPassword | null> {
  const isRight = await checkHash(stored?.hash ?? null, password, await areThereOldHashes(db));
  if (!isRight || !stored || !isOldHash(stored.hash)) return isRight ? stored : null;
  const hash = await hashPassword(password);
  const { rowCount } = await db
    .update(account)
    .set({ password: hash })
    .where(
      and(
        eq(account.userId, stored.userId),
        eq(account.providerId, BY_PASSWORD),
        eq(account.password, stored.hash),
      ),
    );
  if (rowCount) return { ...stored, hash };
  // A concurrent request rehashed it, or the password has just changed.
  return checkPassword(db, await findPasswordOf(db, stored.userId), password);
}

export function findPasswordByEmail(db: Queryable, email: string): Promise<StoredPassword | null> {
  return findPassword(db, eq(user.email, email.toLowerCase()));
}

export function findPasswordOf(db: Queryable, userId: string): Promise<StoredPassword | null> {
  return findPassword(db, eq(user.id, userId));
}

async function findPassword(db: Queryable, ofUser: ReturnType<typeof eq>): Promise<StoredPassword | null> {
  const [stored] = await db
    .select({ userId: user.id, hash: account.password })
    .from(user)
    .innerJoin(account, and(eq(account.userId, user.id), eq(account.providerId, BY_PASSWORD)))
    .where(ofUser);
  return stored?.hash ? { userId: stored.userId, hash: stored.hash } : null;
}

/** The caller decides which sessions end. */
export async function setPassword(tx: Queryable, userId: string, passwordHash: string): Promise<void> {
  await tx
    .insert(account)
    .values({
      id: randomUUID(),
      userId,
      providerId: BY_PASSWORD,
      accountId: userId,
      password: passwordHash,
    })
    .onConflictDoUpdate({
      target: [account.providerId, account.accountId],
      set: { password: passwordHash, updatedAt: sql`now()` },
    });
}

/** log₂ of scrypt's N. `SCRYPT_LN` lowers it for tests; production refuses to start with it. */
const LN = Number(process.env.SCRYPT_LN || 15);
/** OWASP's setting for scrypt with the least memory, 32 MiB a hash. */
const COST = { N: 2 ** LN, r: 8, p: 3 };
/** Older hashes, `salt:key` in hex, some by Better Auth (0034). */
const OLD_COST: typeof COST = { N: 2 ** 14, r: 16, p: 1 };
const MAX_MEMORY = 64 * 1024 * 1024;
const KEY_BYTES = 64;
const SALT_BYTES = 16;

/** PHC: https://github.com/P-H-C/phc-string-format. */
const FORMAT = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const key = await deriveKey(password, salt, cost);
  const [inSalt, inKey] = [salt, key].map((bytes) => bytes.toString("base64").replaceAll("=", ""));
  return `$scrypt$ln=${Math.log2(cost.N)},r=${cost.r},p=${cost.p}$${inSalt}$${inKey}`;
}

const HOUR_MILLISECONDS = 60 * 60 * 1000;
const oldHashes = new WeakMap<Queryable, { areThere: Promise<boolean>; until: number }>();

/** Looked up once an hour: their number only falls. If that fails, there may be. */
function areThereOldHashes(db: Queryable): Promise<boolean> {
  const known = oldHashes.get(db);
  if (known && performance.now() < known.until) return known.areThere;
  const isOld = sql`${account.password} LIKE '%:%'`;
  const areThere = db
    .select({ id: account.id })
    .from(account)
    .where(isOld)
    .limit(1)
    .then(
      (found) => found.length > 0,
      () => true,
    );
  oldHashes.set(db, { areThere, until: performance.now() + HOUR_MILLISECONDS });
  return areThere;
}

interface StoredHash {
  salt: string | Buffer;
  key: Buffer;
  cost: typeof COST;
}

const decoyOf = (cost: typeof COST): StoredHash => ({
  salt: randomBytes(SALT_BYTES),
  key: randomBytes(KEY_BYTES),
  cost,
});
const [DECOY, OLD_DECOY] = [decoyOf(COST), decoyOf(OLD_COST)];

/** While old hashes exist, each check derives a key of either kind, or the time would reveal which accounts are old. */
export async function checkHash(hash: string | null, password: string, derivesOld = false): Promise<boolean> {
  const isOld = hash?.includes(":") ?? false;
  const stored = hash === null ? null : readHash(hash);
  const isOldRight = (derivesOld || isOld) && (await compare(password, isOld && stored ? stored : OLD_DECOY));
  const isRight = await compare(password, !isOld && stored ? stored : DECOY);
  return isOldRight || isRight;
}

function isOldHash(hash: string): boolean {
  const { N, r, p } = readHash(hash)?.cost ?? OLD_COST;
  return N !== COST.N || r !== COST.r || p !== COST.p;
}

function readHash(hash: string): StoredHash | null {
  if (hash.includes(":")) {
    const [salt = "", key = ""] = hash.split(":");
    return { salt, key: Buffer.from(key, "hex"), cost: OLD_COST };
  }
  const [, ln, r, p, salt = "", key = ""] = FORMAT.exec(hash) ?? [];
  if (!ln) return null;
  const cost = { N: 2 ** Number(ln), r: Number(r), p: Number(p) };
  return { salt: Buffer.from(salt, "base64"), key: Buffer.from(key, "base64"), cost };
}

async function compare(password: string, { salt, key, cost }: StoredHash): Promise<boolean> {
  const derived = await deriveKey(password, salt, cost);
  return key.length === derived.length && timingSafeEqual(key, derived);
}

/** scrypt shares four threads with file access and DNS. */
const AT_ONCE = 2;
let running = 0;
const waiting: (() => void)[] = [];

/** Queued, which bounds memory. NFKC unifies what two systems type differently (NIST SP 800-63B-4 §3.1.1.2). */
async function deriveKey(password: string, salt: string | Buffer, cost: typeof COST): Promise<Buffer> {
  if (running < AT_ONCE) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await new Promise((resolve, reject) =>
      scrypt(password.normalize("NFKC"), salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY }, (error, key) =>
        error ? reject(error) : resolve(key),
      ),
    );
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
