import { type Category, splitKeywords } from "./categorize.ts";

/** The places of an account's categories. */
export const SLOTS = [1, 2, 3, 4, 5, 6] as const;
export type Slot = (typeof SLOTS)[number];

/** How many categories somebody may have: in "Try it", and on their account. */
export const MAX_CATEGORIES = SLOTS.length;

export const NAME_MAX_LENGTH = 40;
export const KEYWORDS_MAX_LENGTH = 400;

/** A category as typed. */
export interface CategoryInput {
  name: string;
  keywords: string;
}

/** Parses a category; the remarks say what was left out. */
export function readCategory(typed: CategoryInput): {
  category: Category;
  /** The input, shortened to its limits. */
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

/** Whether nothing was typed. */
export function isBlank({ name, keywords }: CategoryInput): boolean {
  return name.trim() === "" && keywords.trim() === "";
}

/** Shortens between characters, never within a surrogate pair. */
function shorten(text: string, limit: number): string {
  const characters = Array.from(text.slice(0, 2 * limit));
  return characters.length > limit || text.length > 2 * limit ? characters.slice(0, limit).join("") : text;
}
