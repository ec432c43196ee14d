import type { CategoryInput } from "../../categories/category-input.ts";

/** The initial values of the form. */
export const INITIAL_CATEGORY: CategoryInput = { name: "Sunday shop", keywords: "kroger, costco" };

/** Categories shown in addition to the visitor's own. */
export const PRESET_CATEGORIES: CategoryInput[] = [
  { name: "Parcels", keywords: "amazon" },
  { name: "Sofa evenings", keywords: "netflix, amazon prime" },
];
