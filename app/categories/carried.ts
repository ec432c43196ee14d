import { MAX_PATH_LENGTH } from "../http/safe-path.ts";
import { type CategoryInput, isBlank, MAX_CATEGORIES, readCategory } from "./category-input.ts";

export const CATEGORIES_PATH = "/dashboard/categories";

/** From `?category=…&keywords=…&category=…`, shortened to their limits, without blank ones. */
export function categoriesIn(query: URLSearchParams): CategoryInput[] {
  const keywords = query.getAll("keywords");
  return query
    .getAll("category")
    .map((name, index) => readCategory({ name, keywords: keywords[index] ?? "" }).kept)
    .filter((each) => !isBlank(each))
    .slice(0, MAX_CATEGORIES);
}

/** A link that carries categories from "Try it" to an account. */
export interface KeepLink {
  /** Leads signed-out visitors to signing up and back. */
  href: string;
  /** The last ones, which would make the link too long. */
  leftOut: number;
}

/** A path that signing in leads back to, so that nothing is stored on the way. @returns `null` with nothing to carry */
export function keepLink(typed: readonly CategoryInput[]): KeepLink | null {
  const kept = typed.filter((each) => !isBlank(each)).map((each) => readCategory(each).kept);
  for (let count = Math.min(kept.length, MAX_CATEGORIES); count > 0; count--) {
    const path = `${CATEGORIES_PATH}?${queryOf(kept.slice(0, count))}`;
    if (path.length <= MAX_PATH_LENGTH) return { href: path, leftOut: kept.length - count };
  }
  return null;
}

/** For the sign-up page. */
export function describeCarried(path: string): string | undefined {
  const names = carriedBy(path).map(({ name }) => name.trim() || "No name yet");
  return names.length > 0
    ? `Your words come along: ${names.join(", ")}. You decide there whether we keep them.`
    : undefined;
}

/** For what is stored: categories are kept only when their owner saves them. */
export function withoutCarried(path: string): string {
  return carriedBy(path).length > 0 ? CATEGORIES_PATH : path;
}

function carriedBy(path: string): CategoryInput[] {
  const [page, query = ""] = path.split("?", 2);
  return page === CATEGORIES_PATH ? categoriesIn(new URLSearchParams(query)) : [];
}

function queryOf(categories: readonly CategoryInput[]): URLSearchParams {
  return new URLSearchParams(
    categories.flatMap(({ name, keywords }) => [
      ["category", name],
      ["keywords", keywords],
    ]),
  );
}
