import { and, asc, eq, gt, isNotNull, isNull, lt, or, type SQL, sql } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import type { Config } from "../../config/config.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import { foldCode } from "../../ui/typed-text.ts";
import { seal, sealedPrefix, unseal } from "../keys.server.ts";
import { authenticatorApps } from "../schema.ts";
import { lockUser } from "../users.server.ts";

/** The defaults of every app (RFC 6238). */
const CODES = { algorithm: "SHA1", digits: 6, period: 30 };
/** Codes before and after the current one that are accepted. */
const WINDOW = 1;
/** RFC 4226 §4: 160 bits. */
const SECRET_BYTES = 20;
const SETUP_MINUTES = 15;

type Sealing = Pick<App, "config">;

/** Without separators, digits of any script as ASCII. */
export const digitsOf = (code: string) => foldCode(code).replaceAll(/[\s-]/g, "");

/** A secret made minutes ago stays. @returns `false` when the user has an app, or is gone */
export async function beginApp({ config, db }: Pick<App, "config" | "db">, userId: string): Promise<boolean> {
  const secret = new Secret({ size: SECRET_BYTES });
  const isOld = sql`${authenticatorApps.createdAt} <= now() - make_interval(mins => ${SETUP_MINUTES}::int)`;
  const values = {
    userId,
    secret: await seal(config.authSecret, purposeOf(userId), secret.base32),
    createdAt: sql`now()`,
  };
  return db.transaction(async (tx) => {
    if (!(await lockUser(tx, userId))) return false;
    await tx
      .insert(authenticatorApps)
      .values(values)
      .onConflictDoUpdate({
        target: authenticatorApps.userId,
        set: values,
        setWhere: and(isNull(authenticatorApps.confirmedAt), isOld),
      });
    return (await findBegun(tx, userId)) !== null;
  });
}

/** As a key to type and as a QR code's URL; `null`: none, or begun too long ago. */
export async function readAppSetup(
  { config, db }: Pick<App, "config" | "db">,
  { id, email }: { id: string; email: string },
): Promise<{ key: string; url: string } | null> {
  const begun = await findBegun(db, id);
  if (!begun) return null;
  const secret = await readSecret({ config }, id, begun.secret);
  if (!secret) return null;
  // Apps split the label at its first colon.
  const issuer = config.site.product.replaceAll(/[\s:]+/g, " ").trim();
  const url = new TOTP({ ...CODES, issuer, label: email, secret }).toString();
  return { key: secret.base32, url };
}

async function findBegun(db: Queryable, userId: string) {
  const [begun] = await db
    .select()
    .from(authenticatorApps)
    .where(
      and(
        eq(authenticatorApps.userId, userId),
        isNull(authenticatorApps.confirmedAt),
        gt(authenticatorApps.createdAt, sql`now() - make_interval(mins => ${SETUP_MINUTES}::int)`),
      ),
    );
  return begun ?? null;
}

/** Confirms the app by its first code. @returns whether it is the code */
export async function confirmApp(tx: Queryable, app: Sealing, userId: string, code: string) {
  const begun = await findBegun(tx, userId);
  const step = begun && (await findStep(app, userId, begun.secret, code));
  if (typeof step !== "number") return false;
  const { rowCount } = await tx
    .update(authenticatorApps)
    .set({ confirmedAt: sql`now()`, lastStep: step })
    .where(and(eq(authenticatorApps.userId, userId), isNull(authenticatorApps.confirmedAt)));
  return rowCount === 1;
}

/** Neither this code nor an older one works again. @returns whether it is one */
export async function consumeAppCode(tx: Queryable, app: Sealing, userId: string, code: string) {
  const [known] = await tx
    .select({ secret: authenticatorApps.secret })
    .from(authenticatorApps)
    .where(and(eq(authenticatorApps.userId, userId), isNotNull(authenticatorApps.confirmedAt)));
  const step = known && (await findStep(app, userId, known.secret, code));
  if (typeof step !== "number") return false;
  const { rowCount } = await tx
    .update(authenticatorApps)
    .set({ lastStep: step })
    .where(
      and(
        eq(authenticatorApps.userId, userId),
        eq(authenticatorApps.secret, known?.secret ?? ""),
        or(isNull(authenticatorApps.lastStep), lt(authenticatorApps.lastStep, step)),
      ),
    );
  return rowCount === 1;
}

async function findStep(app: Sealing, userId: string, sealed: string, code: string): Promise<number | null> {
  const secret = await readSecret(app, userId, sealed);
  if (!secret) return null;
  const timestamp = Date.now();
  const delta = TOTP.validate({ ...CODES, token: code, secret, timestamp, window: WINDOW });
  return delta === null ? null : TOTP.counter({ period: CODES.period, timestamp }) + delta;
}

/** `null`: no secret opens it. Recovery codes still work. */
async function readSecret({ config }: Sealing, userId: string, sealed: string): Promise<Secret | null> {
  try {
    return Secret.fromBase32(await unseal(config.authSecrets, purposeOf(userId), sealed));
  } catch {
    return null;
  }
}

/** Includes the user, so that a row moved to another user cannot be decrypted. */
function purposeOf(userId: string): string {
  return `authenticator app of ${userId}`;
}

const RESEALED_ROWS = 500;

/** By another secret, or before version 0.9, when that was not noted. */
const isSealedByAnother = ({ authSecret }: Pick<Config, "authSecret">): SQL =>
  sql`NOT starts_with(${authenticatorApps.secret}, ${sealedPrefix(authSecret)})`;

/** Seals all with AUTH_SECRET. Safe to repeat, and to stop. @returns how many it sealed, and how many no secret opens */
export async function resealApps({
  config,
  db,
}: Pick<App, "config" | "db">): Promise<{ sealed: number; unreadable: number }> {
  const done = { sealed: 0, unreadable: 0 };
  for (let after = ""; ; ) {
    const apps = await findSealedByAnother(db, config, RESEALED_ROWS, after);
    for (const app of apps) done[(await reseal({ config, db }, app)) ? "sealed" : "unreadable"]++;
    const last = apps.at(-1);
    if (!last) return done;
    after = last.userId;
  }
}

async function reseal({ config, db }: Pick<App, "config" | "db">, { userId, secret: sealed }: SealedApp) {
  const secret = await readSecret({ config }, userId, sealed);
  if (!secret) return false;
  const resealed = await seal(config.authSecret, purposeOf(userId), secret.base32);
  await db.transaction(async (tx) => {
    // A concurrent code check has read the old row.
    await lockUser(tx, userId);
    await tx
      .update(authenticatorApps)
      .set({ secret: resealed })
      .where(and(eq(authenticatorApps.userId, userId), eq(authenticatorApps.secret, sealed)));
  });
  return true;
}

type SealedApp = Pick<typeof authenticatorApps.$inferSelect, "userId" | "secret">;

function findSealedByAnother(db: Queryable, config: Pick<Config, "authSecret">, most: number, after = "") {
  return db
    .select({ userId: authenticatorApps.userId, secret: authenticatorApps.secret })
    .from(authenticatorApps)
    .where(and(gt(authenticatorApps.userId, after), isSealedByAnother(config)))
    .orderBy(asc(authenticatorApps.userId))
    .limit(most);
}

const SAMPLE = 20;

/** And of a sample, how many no secret opens. */
export async function countSealedByAnother({ config, db }: Pick<App, "config" | "db">) {
  const count = await db.$count(authenticatorApps, isSealedByAnother(config));
  const sample = await findSealedByAnother(db, config, SAMPLE);
  const read = await Promise.all(sample.map(({ userId, secret }) => readSecret({ config }, userId, secret)));
  const unreadable = read.filter((secret) => secret === null).length;
  return { count, sample: sample.length, unreadable };
}
