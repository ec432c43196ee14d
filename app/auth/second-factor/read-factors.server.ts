import { and, asc, eq, isNotNull } from "drizzle-orm";
import type { Queryable } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import { authenticatorApps, passkeys } from "../schema.ts";
import type { AvailableFactors } from "./factor-form.tsx";
import { hasPasskeys } from "./passkeys.server.ts";
import { countRecoveryCodes } from "./recovery-codes.server.ts";

/** The second factor of a user, as their account page shows it. */
export async function readSecondFactor(db: Queryable, userId: string) {
  const [app] = await db
    .select({ since: authenticatorApps.confirmedAt })
    .from(authenticatorApps)
    .where(and(eq(authenticatorApps.userId, userId), isNotNull(authenticatorApps.confirmedAt)));
  const keys = await db
    .select({
      id: passkeys.id,
      name: passkeys.name,
      since: passkeys.createdAt,
      lastUsed: passkeys.lastUsedAt,
    })
    .from(passkeys)
    .where(eq(passkeys.userId, userId))
    .orderBy(asc(passkeys.createdAt), asc(passkeys.id));
  return {
    isOn: app !== undefined || keys.length > 0,
    app: app ?? null,
    passkeys: keys,
    recoveryCodesLeft: await countRecoveryCodes(db, userId),
  };
}

/** Which of a user's second factors can be shown here. */
export async function readAvailableFactors(
  { config, db }: Pick<App, "config" | "db">,
  userId: string,
): Promise<AvailableFactors> {
  const { app, passkeys } = await readSecondFactor(db, userId);
  return { hasApp: app !== null, hasPasskeys: passkeys.length > 0 && hasPasskeys(config) };
}
