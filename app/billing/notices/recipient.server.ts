import { eq } from "drizzle-orm";
import { user } from "../../auth/schema.ts";
import type { Queryable } from "../../db/client.server.ts";
import { loadFeatureStates } from "../../entitlements/features.server.ts";
import { readRemainingGrant } from "../../entitlements/subscription.server.ts";
import type { Site } from "../../ui/site.ts";
import type { Recipient } from "./notice.ts";

/** @param end of the paid plan that a mail is about */
export async function readRecipient(
  db: Queryable,
  site: Site,
  { userId, email }: { userId: string; email: string },
  end: Date,
): Promise<Recipient> {
  const [owner] = await db.select({ timeZone: user.timeZone }).from(user).where(eq(user.id, userId));
  const features = await loadFeatureStates(db);
  const remaining = await readRemainingGrant(db, userId, end);
  return { to: email, site, timeZone: owner?.timeZone ?? null, features, remaining };
}
