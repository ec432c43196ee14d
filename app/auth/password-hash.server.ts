import { randomBytes, scrypt, timingSafeEqual } from "node:crypto";

interface Cost {
  N: number;
  r: number;
  p: number;
}

/** log₂ of scrypt's N. `SCRYPT_LN` lowers it for tests, which hash thousands of passwords; production refuses to start with it. */
const LN = Number(process.env.SCRYPT_LN || 15);
/** OWASP's setting for scrypt with the least memory, 32 MiB a hash. */
const COST: Cost = { N: 2 ** LN, r: 8, p: 3 };
/** Of the hashes before those, `salt:key` in hex, which Better Auth made as well (0034). */
const OLD_COST: Cost = { N: 2 ** 14, r: 16, p: 1 };
/** What an old hash costs less: spent as well, or the time would tell which accounts are old. */
const SPARED: Cost = { N: 2 ** LN, r: 8, p: 2 };
const MAX_MEMORY = 64 * 1024 * 1024;
const KEY_BYTES = 64;
const SALT_BYTES = 16;

/** As the PHC string format has it: https://github.com/P-H-C/phc-string-format. */
const FORMAT = /^\$scrypt\$ln=(\d+),r=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

export async function hashPassword(password: string, cost = COST): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  return formatHash(salt, await deriveKey(password, salt, cost), cost);
}

/** Whether a password has this hash. A malformed hash matches nothing; whatever the hash, it takes as long. */
export async function checkHash(hash: string, password: string): Promise<boolean> {
  if (hash.startsWith("$")) return compare(password, readHash(hash) ?? DECOY);
  const [salt = "", key = ""] = hash.split(":");
  const isRight = await compare(password, { salt, key: Buffer.from(key, "hex"), cost: OLD_COST });
  await deriveKey(password, salt, SPARED);
  return isRight;
}

/** Whether a hash was made with less work than those of today. */
export function isOldHash(hash: string): boolean {
  const { N, r, p } = readHash(hash)?.cost ?? OLD_COST;
  return N !== COST.N || r !== COST.r || p !== COST.p;
}

interface StoredHash {
  salt: string | Buffer;
  key: Buffer;
  cost: Cost;
}

/** No password has it: what is compared where there is none. */
const DECOY: StoredHash = { salt: randomBytes(SALT_BYTES), key: randomBytes(KEY_BYTES), cost: COST };
export const DECOY_HASH = formatHash(randomBytes(SALT_BYTES), randomBytes(KEY_BYTES));

function formatHash(salt: Buffer, key: Buffer, { N, r, p } = COST): string {
  const [inSalt, inKey] = [salt, key].map((bytes) => bytes.toString("base64").replaceAll("=", ""));
  return `$scrypt$ln=${Math.log2(N)},r=${r},p=${p}$${inSalt}$${inKey}`;
}

function readHash(hash: string): StoredHash | null {
  const [, ln, r, p, salt = "", key = ""] = FORMAT.exec(hash) ?? [];
  if (!ln) return null;
  const cost = { N: 2 ** Number(ln), r: Number(r), p: Number(p) };
  return { salt: Buffer.from(salt, "base64"), key: Buffer.from(key, "base64"), cost };
}

async function compare(password: string, { salt, key, cost }: StoredHash): Promise<boolean> {
  const derived = await deriveKey(password, salt, cost);
  return key.length === derived.length && timingSafeEqual(key, derived);
}

/** The same password typed on two systems may differ in bytes: NFKC makes them one (NIST SP 800-63B-4 §3.1.1.2). */
function deriveKey(password: string, salt: string | Buffer, cost: Cost): Promise<Buffer> {
  const options = { ...cost, maxmem: MAX_MEMORY };
  return inTurn(
    () =>
      new Promise((resolve, reject) =>
        scrypt(password.normalize("NFKC"), salt, KEY_BYTES, options, (error, key) =>
          error ? reject(error) : resolve(key),
        ),
      ),
  );
}

/** scrypt shares four threads with file access and DNS, which must not starve. */
const AT_ONCE = 2;
let running = 0;
const waiting: (() => void)[] = [];

/** Queues the work, which bounds memory. */
async function inTurn<Done>(work: () => Promise<Done>): Promise<Done> {
  if (running < AT_ONCE) running++;
  else await new Promise<void>((resolve) => waiting.push(resolve));
  try {
    return await work();
  } finally {
    const next = waiting.shift();
    if (next) next();
    else running--;
  }
}
