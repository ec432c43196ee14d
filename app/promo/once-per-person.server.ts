import { createHmac } from "node:crypto";
import { and, eq, isNotNull } from "drizzle-orm";
import type { Config } from "../config/config.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { grants, redeemedAddresses } from "./schema.ts";

type Secrets = Pick<Config, "authSecret">;

/**
 * Keeps the address a user is about to leave, by deleting the account or changing the address, beside every code they
 * have redeemed, so that a new account with it does not get them again. While the account has the address, nothing needs
 * to be kept: no second account can have it, and one account gets a code once.
 *
 * @param tx with the user locked, or a code could be redeemed after the look and before the address is free
 */
export async function rememberAddress(
  tx: Queryable,
  secrets: Secrets,
  owner: { id: string; email: string },
): Promise<void> {
  const redeemed = await tx
    .select({ grantId: grants.id, promoCode: grants.promoCode })
    .from(grants)
    .where(and(eq(grants.userId, owner.id), isNotNull(grants.promoCode)));
  const rows = redeemed.flatMap(({ grantId, promoCode }) =>
    promoCode ? [{ grantId, promoCode, emailHash: hashOf(secrets, promoCode, owner.email) }] : [],
  );
  if (rows.length > 0) await tx.insert(redeemedAddresses).values(rows).onConflictDoNothing();
}

/** Whether the code was redeemed at this address by an account that no longer has it. */
export async function isAddressRemembered(
  db: Queryable,
  secrets: Secrets,
  code: string,
  email: string,
): Promise<boolean> {
  const found = await db
    .select({ grantId: redeemedAddresses.grantId })
    .from(redeemedAddresses)
    .where(
      and(
        eq(redeemedAddresses.promoCode, code),
        eq(redeemedAddresses.emailHash, hashOf(secrets, code, email)),
      ),
    );
  return found.length > 0;
}

/**
 * Addresses are few enough to try them all against a plain hash, hence the key. The code is hashed too, so that two rows
 * do not tell that they are of one person.
 */
function hashOf({ authSecret }: Secrets, code: string, email: string): string {
  return createHmac("sha256", authSecret)
    .update(`redeemed_address:${code}:${email.toLowerCase()}`)
    .digest("base64url");
}
