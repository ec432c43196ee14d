import { hkdfSync } from "node:crypto";
import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import { hashSecret } from "../../http/secret-token.server.ts";
import { foldCode } from "../../ui/typed-text.ts";
import { recoveryCodes } from "../schema.ts";

const CODES = 10;
/** 120 bits, so that a plain hash will do (OWASP ASVS 6.5.2: 112 at least). */
const BYTES = 15;
/** Crockford's: no letter looks like a digit. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/** Codes of 16 letters, 80 bits, were made before version 0.9 and stay valid. */
const FORM = /^(?:[0-9a-hjkmnp-tv-z]{16}|[0-9a-hjkmnp-tv-z]{24})$/;

/**
 * Replaces the codes, which follow from AUTH_SECRET and `form`, so that a form sent twice gives the same set.
 * @returns those that are unused, and whether the set is new
 */
export async function makeRecoveryCodes(
  tx: Queryable,
  { config }: Pick<App, "config">,
  userId: string,
  form: string,
): Promise<{ codes: string[]; isNew: boolean }> {
  const codes = deriveCodes(config.authSecret, userId, form);
  const kept = await tx
    .select({ codeHash: recoveryCodes.codeHash, usedAt: recoveryCodes.usedAt })
    .from(recoveryCodes)
    .where(and(eq(recoveryCodes.userId, userId), inArray(recoveryCodes.codeHash, codes.map(hashOf))));
  if (kept.length > 0) {
    const used = new Set(kept.filter(({ usedAt }) => usedAt).map(({ codeHash }) => codeHash));
    return { codes: codes.filter((code) => !used.has(hashOf(code))), isNew: false };
  }
  await tx.delete(recoveryCodes).where(eq(recoveryCodes.userId, userId));
  await tx.insert(recoveryCodes).values(codes.map((code) => ({ userId, codeHash: hashOf(code) })));
  return { codes, isNew: true };
}

/** Of concurrent uses one succeeds, by the guard on the UPDATE. @returns how many are left; `null`: wrong */
export async function consumeRecoveryCode(tx: Queryable, userId: string, typed: string) {
  const code = normal(typed);
  if (!FORM.test(code)) return null;
  const { rowCount } = await tx
    .update(recoveryCodes)
    .set({ usedAt: sql`now()` })
    .where(
      and(
        eq(recoveryCodes.userId, userId),
        eq(recoveryCodes.codeHash, hashSecret(code)),
        isNull(recoveryCodes.usedAt),
      ),
    );
  return rowCount ? { left: await countRecoveryCodes(tx, userId) } : null;
}

export async function countRecoveryCodes(db: Queryable, userId: string): Promise<number> {
  return db.$count(recoveryCodes, and(eq(recoveryCodes.userId, userId), isNull(recoveryCodes.usedAt)));
}

function deriveCodes(authSecret: string, userId: string, form: string): string[] {
  const bytes = Buffer.from(
    hkdfSync("sha256", authSecret, form, `recovery codes of ${userId}`, CODES * BYTES),
  );
  return Array.from({ length: CODES }, (_, index) =>
    encodeCode(bytes.subarray(index * BYTES, (index + 1) * BYTES)),
  );
}

function encodeCode(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const letters = (bits.match(/.{5}/g) ?? []).map((five) => ALPHABET[Number.parseInt(five, 2)]);
  return letters.join("").replace(/.{4}(?=.)/g, "$&-");
}

/** Capitals, spaces, and letters for the digits they look like. */
function normal(typed: string): string {
  return foldCode(typed).toLowerCase().replaceAll(/[\s-]/g, "").replaceAll("o", "0").replaceAll(/[il]/g, "1");
}

const hashOf = (code: string) => hashSecret(normal(code));
