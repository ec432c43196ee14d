import { eq } from "drizzle-orm";
import { type Actor, recordChange } from "../../audit/record-change.server.ts";
import type { Database } from "../../db/client.server.ts";
import { loadFeatureStates, setFeature } from "../../entitlements/features.server.ts";
import { features } from "../../entitlements/schema.ts";
import type { Feature } from "../../entitlements/tiers.ts";
import { planAnnouncement, subjectOf } from "./announce-feature.server.ts";

/** A time in the past or future, now, or `null`: being built. */
export type Opening = Date | "now" | null;

/** Opens, schedules or closes a feature, and plans its mail. @param seen its opening as the page showed it; `undefined`: any */
export async function changeFeature(
  db: Database,
  actor: Actor,
  feature: Feature,
  opening: Opening,
  seen?: Date | null,
) {
  return db.transaction(async (tx) => {
    // The row serializes changes, so it must exist first.
    await tx.insert(features).values({ key: feature, openedAt: null }).onConflictDoNothing();
    await tx.select().from(features).where(eq(features.key, feature)).for("update");
    const { [feature]: before } = await loadFeatureStates(tx);
    // Changed by another operator since the page was loaded.
    if (seen !== undefined && seen?.getTime() !== before.openedAt?.getTime())
      return { ok: false as const, state: before };
    await setFeature(tx, feature, opening);
    const { [feature]: state } = await loadFeatureStates(tx);
    await recordChange(tx, actor, {
      action: opening === null ? "feature.closed" : state.isOpen ? "feature.opened" : "feature.scheduled",
      subject: subjectOf(feature),
      before: { opened_at: before.openedAt },
      after: { opened_at: state.openedAt },
    });
    const { openedAt } = state;
    const isNews = !(before.isOpen && state.isOpen);
    const announces = openedAt !== null && isNews && (await planAnnouncement(tx, actor, feature, openedAt));
    return { ok: true as const, before, state, announces };
  });
}
