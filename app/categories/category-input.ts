import { type Category, splitKeywords } from "./categorize.ts";

export const SLOTS = [1, 2, 3, 4, 5, 6] as const;
export type Slot = (typeof SLOTS)[number];

/** In "Try it", and on an account. */
export const MAX_CATEGORIES = SLOTS.length;

export const NAME_MAX_LENGTH = 40;
export const KEYWORDS_MAX_LENGTH = 400;

export interface CategoryInput {
  name: string;
  keywords: string;
}

/** The remarks say what was left out. */
export function readCategory(typed: CategoryInput): {
  category: Category;
  kept: CategoryInput;
  remarks: string[];
} {
  const name = shorten(typed.name, NAME_MAX_LENGTH);
  const keywords = shorten(typed.keywords, KEYWORDS_MAX_LENGTH);
  const remarks: string[] = [];
  if (name !== typed.name)
    remarks.push(`A name has at most ${NAME_MAX_LENGTH} characters, so this one is cut.`);
  if (keywords !== typed.keywords)
    remarks.push(
      `Keywords have at most ${KEYWORDS_MAX_LENGTH} characters together, so the last ones are left out.`,
    );
  return {
    category: { name: name.trim() || "No name yet", keywords: splitKeywords(keywords) },
    kept: { name, keywords },
    remarks,
  };
}

export function isBlank({ name, keywords }: CategoryInput): boolean {
  return name.trim() === "" && keywords.trim() === "";
}

/** Never within a surrogate pair. */
function shorten(text: string, limit: number): string {
  const characters = Array.from(text.slice(0, 2 * limit));
  return characters.length > limit || text.length > 2 * limit ? characters.slice(0, limit).join("") : text;
}
