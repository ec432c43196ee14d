import { createHmac } from "node:crypto";
import { and, eq, isNotNull } from "drizzle-orm";
import { mailboxOf } from "../auth/mailbox.ts";
import type { Config } from "../config/config.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { grants, redeemedAddresses } from "./schema.ts";

/** Before an account gives up its address: a new one cannot redeem the same codes. @param tx with the user locked */
export async function rememberAddress(
  tx: Queryable,
  { authSecret }: Pick<Config, "authSecret">,
  owner: { id: string; email: string },
): Promise<void> {
  const redeemed = await tx
    .select({ grantId: grants.id, promoCode: grants.promoCode })
    .from(grants)
    .where(and(eq(grants.userId, owner.id), isNotNull(grants.promoCode)));
  const rows = redeemed.flatMap(({ grantId, promoCode }) =>
    promoCode ? [{ grantId, promoCode, emailHash: hashAddress(authSecret, promoCode, owner.email) }] : [],
  );
  if (rows.length > 0) await tx.insert(redeemedAddresses).values(rows).onConflictDoNothing();
}

/** Keyed, because a plain hash can be found by trying; with the code, so that no two rows can be linked. */
export function hashAddress(authSecret: string, code: string, email: string): string {
  return hash(authSecret, `redeemed_address:${code}:${email.toLowerCase()}`);
}

/** Kept with the grant of a code that is once per mailbox. */
export function hashMailbox(authSecret: string, code: string, email: string): string {
  return hash(authSecret, `redeemed_mailbox:${code}:${mailboxOf(email)}`);
}

function hash(authSecret: string, text: string): string {
  return createHmac("sha256", authSecret).update(text).digest("base64url");
}
