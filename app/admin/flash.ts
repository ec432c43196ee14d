import type { Flash } from "../ui/route-handle.ts";

/** By the `said` in the page's URL. */
export type Flashes = Readonly<Record<string, readonly [tone: Flash["tone"], text: string]>>;

export function flashIn(flashes: Flashes): (said: string) => Flash | undefined {
  return (said) => {
    const [tone, text] = (Object.hasOwn(flashes, said) && flashes[said]) || [];
    return tone && text ? { tone, text } : undefined;
  };
}

/** The field that names a selected row; one for each. */
export const SELECTED = "selected";

/** In words that follow its count: "2 paused". Listed in this order. */
export interface Outcome {
  words: string;
  isChange?: boolean;
}

const NOTHING_SELECTED = "none";

const NO_ROW: Flash = { tone: "plain", text: "Nothing was changed: select at least one row first." };

/** A count of outcomes as a `said`: `due-2.done-1`. */
export function saidOf(counts: ReadonlyMap<string, number>): string {
  return counts.size === 0 ? NOTHING_SELECTED : [...counts].map((one) => one.join("-")).join(".");
}

/** The message of such a `said`: "2 tried again, 1 done already."; `undefined`: it has other outcomes. */
export function flashOfSelected(
  said: string,
  outcomes: Readonly<Record<string, Outcome>>,
): Flash | undefined {
  if (said === NOTHING_SELECTED) return NO_ROW;
  const counts = new Map(
    said.split(".").map((part) => {
      const [, name = "", count = ""] = /^([a-z_]+)-(\d{1,3})$/.exec(part) ?? [];
      return [name, Number(count)];
    }),
  );
  const known = Object.entries(outcomes).flatMap(([name, outcome]) => {
    const count = counts.get(name);
    return count ? [{ count, ...outcome }] : [];
  });
  if (known.length < counts.size) return undefined;
  return {
    tone: known.some(({ isChange }) => isChange) ? "good" : "plain",
    text: `${known.map(({ count, words }) => `${count} ${words}`).join(", ")}.`,
  };
}
