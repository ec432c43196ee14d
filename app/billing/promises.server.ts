import { type FeatureStates, promisesOf } from "../entitlements/features.ts";
import type { Plan } from "./plans.ts";
import { CANCEL_TERMS } from "./renewal-terms.ts";

/** A sentence whose first words are bold. */
export type Promised = readonly [first: string, rest: string];

const FIRST_WORDS = /^(?:Your price|Time before launch is free|Get a full refund|Cancel any time)?/;

/** What is promised to buyers of each plan, by its id: in the words of all other pages, and of the terms that are agreed to. */
export function promisesByPlan(plans: readonly Plan[], features: FeatureStates): Record<string, Promised[]> {
  return Object.fromEntries(
    plans.map(({ id, tier }) => [id, [...promisesOf(tier, features), CANCEL_TERMS].map(splitFirstWords)]),
  );
}

function splitFirstWords(sentence: string): Promised {
  const [first = ""] = FIRST_WORDS.exec(sentence) ?? [];
  return [first, sentence.slice(first.length)];
}
