import type { CategoryInput } from "../../categories/category-input.ts";

export const INITIAL_CATEGORY: CategoryInput = { name: "Sunday shop", keywords: "kroger, costco" };

export const PRESET_CATEGORIES: CategoryInput[] = [
  { name: "Parcels", keywords: "amazon" },
  { name: "Sofa evenings", keywords: "netflix, amazon prime" },
];
