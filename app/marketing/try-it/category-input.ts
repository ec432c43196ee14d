import { type Category, splitKeywords } from "./categorise.ts";

const NAME_LIMIT = 40;
const KEYWORDS_LIMIT = 400;

/** A category as somebody typed it. */
export interface CategoryInput {
  name: string;
  keywords: string;
}

/** The part of it that is used, and in plain words what is not. */
export function readCategory(typed: CategoryInput): {
  category: Category;
  /** What was typed, cut to its limits. */
  kept: CategoryInput;
  remarks: string[];
} {
  const name = cut(typed.name, NAME_LIMIT);
  const keywords = cut(typed.keywords, KEYWORDS_LIMIT);
  const remarks: string[] = [];
  if (name !== typed.name) remarks.push(`A name has at most ${NAME_LIMIT} characters, so this one is cut.`);
  if (keywords !== typed.keywords)
    remarks.push(
      `Keywords have at most ${KEYWORDS_LIMIT} characters together, so the last ones are left out.`,
    );
  return {
    category: { name: name.trim() || "No name yet", keywords: splitKeywords(keywords) },
    kept: { name, keywords },
    remarks,
  };
}

/** Cut between characters and not within one. */
function cut(text: string, limit: number): string {
  const characters = Array.from(text.slice(0, 2 * limit));
  return characters.length > limit || text.length > 2 * limit ? characters.slice(0, limit).join("") : text;
}
