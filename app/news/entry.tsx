import { FEATURE_NAMES, type Feature } from "../entitlements/tiers.ts";
import { formatDay } from "../ui/format-day.ts";
import type { changelogEntries } from "./schema.ts";

export type ChangelogEntry = typeof changelogEntries.$inferSelect;

export function paragraphsOf(text: string): string[] {
  return text.split(/\n\s*\n/).map((paragraph) => paragraph.trim());
}

/** The day is the same in every zone. */
export function EntryDay({ day, feature }: { day: string; feature?: Feature | null }) {
  return (
    <p className="text-quiet">
      <time dateTime={day}>{formatDay(new Date(day))}</time>
      {feature && ` · ${FEATURE_NAMES[feature]}`}
    </p>
  );
}
