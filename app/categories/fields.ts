import type { Slot } from "./category-input.ts";

/** The names of a category's fields on the account's form. */
export const categoryField = (slot: Slot) => `category_${slot}` as const;
export const keywordsField = (slot: Slot) => `keywords_${slot}` as const;

/** Why a form from before another change is refused. */
export const CHANGED_ELSEWHERE =
  "Your categories were changed in another tab or on another device. What you typed is still here: save again to replace them.";
