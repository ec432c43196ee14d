export interface Category {
  name: string;
  keywords: readonly string[];
}

/** By line. Matches whole words, ignoring case, accents and whitespace. The longest keyword wins; of equal ones the first. */
export function categorize(lines: readonly string[], categories: readonly Category[]): (string | null)[] {
  const candidates = categories
    .flatMap(({ name, keywords }) => keywords.map((keyword) => ({ name, keyword: fold(keyword) })))
    .filter(({ keyword }) => keyword !== "")
    // The sort is stable, so the first match wins.
    .sort((one, other) => other.keyword.length - one.keyword.length)
    .map(({ name, keyword }) => ({ name, words: markWords(keyword) }));

  return lines.map((line) => {
    const text = markWords(fold(line));
    return candidates.find(({ words }) => text.includes(words))?.name ?? null;
  });
}

/** Distinct, non-blank, in order. */
export function splitKeywords(typed: string): string[] {
  const keywords = new Map<string, string>();
  for (const keyword of typed.split(/[,\r\n]/)) {
    const folded = fold(keyword);
    if (folded && !keywords.has(folded)) keywords.set(folded, keyword.trim().replace(/\s+/g, " "));
  }
  return [...keywords.values()];
}

/** NFKD does not decompose these letters, often typed without their stroke; and typographic apostrophes. */
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
 * Upper case, no accents, NFKD, whitespace collapsed. Lower-cased first, because only ß, not ẞ, upper-cases to SS, and only ı and i
 * share an upper case.
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

/** A substring search then matches whole words only. The marker is a lower-case letter, which folded text does not contain. */
function markWords(folded: string): string {
  return folded.replace(/[\p{L}\p{N}\p{M}]+/gu, "w$&w");
}
