import type { Slot } from "./category-input.ts";

export const categoryField = (slot: Slot) => `category_${slot}` as const;
export const keywordsField = (slot: Slot) => `keywords_${slot}` as const;

export const CHANGED_ELSEWHERE =
  "Your categories were changed in another tab or on another device. What you typed is still here: save again to replace them.";
