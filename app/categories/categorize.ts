/** A user-named category and the keywords that match bank lines to it. */
export interface Category {
  name: string;
  keywords: readonly string[];
}

/**
 * The name of each line's category, in the order of the lines; `null` for a line without one.
 *
 * A keyword matches whole words, ignoring case, accents and the amount of whitespace. The longest matching keyword wins;
 * of equally long ones, the first.
 */
export function categorize(lines: readonly string[], categories: readonly Category[]): (string | null)[] {
  const candidates = categories
    .flatMap(({ name, keywords }) => keywords.map((keyword) => ({ name, keyword: fold(keyword) })))
    .filter(({ keyword }) => keyword !== "")
    // The sort is stable, so the first match is the one that wins.
    .sort((one, other) => other.keyword.length - one.keyword.length)
    .map(({ name, keyword }) => ({ name, words: markWords(keyword) }));

  return lines.map((line) => {
    const text = markWords(fold(line));
    return candidates.find(({ words }) => text.includes(words))?.name ?? null;
  });
}

/** Splits input at commas and line breaks into distinct, non-blank keywords, in order. */
export function splitKeywords(typed: string): string[] {
  const keywords = new Map<string, string>();
  for (const keyword of typed.split(/[,\r\n]/)) {
    const folded = fold(keyword);
    if (folded && !keywords.has(folded)) keywords.set(folded, keyword.trim().replace(/\s+/g, " "));
  }
  return [...keywords.values()];
}

/** Letters that NFKD does not decompose but that are often typed without their stroke, and typographic apostrophes. */
const LETTER_REPLACEMENTS = new Map([
  ["Ø", "O"],
  ["Ł", "L"],
  ["Đ", "D"],
  ["Æ", "AE"],
  ["Œ", "OE"],
  ["‘", "'"],
  ["’", "'"],
  ["ʼ", "'"],
]);

/**
 * Folds text for comparison: upper case, no accents, fullwidth forms and ligatures resolved (NFKD), whitespace collapsed.
 * Lower-cased first, because only ß, not ẞ, upper-cases to SS, and only ı and i share an upper case.
 */
function fold(text: string): string {
  return (
    text
      .toLowerCase()
      .toUpperCase()
      .normalize("NFKD")
      // Marks of a single script, such as the vowels of Thai and Hindi, are letters rather than accents.
      .replace(/[\p{M}&&\p{Script=Inherited}]/gv, "")
      .toUpperCase()
      .replace(/[ØŁĐÆŒ‘’ʼ]/g, (letter) => LETTER_REPLACEMENTS.get(letter) ?? letter)
      .replace(/\s+/g, " ")
      .trim()
  );
}

/**
 * Marks both ends of each word in folded text, so that a substring search matches whole words only. The marker is a
 * lower-case letter, which folded text does not contain.
 */
function markWords(folded: string): string {
  return folded.replace(/[\p{L}\p{N}\p{M}]+/gu, "w$&w");
}
