/** A category in its owner's words, and the keywords that put it on a bank line. */
export interface Category {
  name: string;
  keywords: readonly string[];
}

/**
 * The name of the category each line belongs to, in the order of the lines; `null` for a line that is still yours to
 * name.
 *
 * A keyword matches whole words, whatever the capitals, the accents and the width of the spaces. The longest matching
 * keyword wins; of equally long ones the first that was written.
 */
export function categorise(lines: readonly string[], categories: readonly Category[]): (string | null)[] {
  const candidates = categories
    .flatMap(({ name, keywords }) => keywords.map((keyword) => ({ name, keyword: fold(keyword) })))
    .filter(({ keyword }) => keyword !== "")
    // Sorting keeps the order of equals, so the first that is found is the one that wins.
    .sort((one, other) => other.keyword.length - one.keyword.length)
    .map(({ name, keyword }) => ({ name, words: markWords(keyword) }));

  return lines.map((line) => {
    const text = markWords(fold(line));
    return candidates.find(({ words }) => text.includes(words))?.name ?? null;
  });
}

/** The keywords in what somebody typed, separated by commas or new lines: none blank, none twice, in their order. */
export function splitKeywords(typed: string): string[] {
  const keywords = new Map<string, string>();
  for (const keyword of typed.split(/[,\r\n]/)) {
    const folded = fold(keyword);
    if (folded && !keywords.has(folded)) keywords.set(folded, keyword.trim().replace(/\s+/g, " "));
  }
  return [...keywords.values()];
}

/** Letters Unicode does not take apart although people write them without their stroke, and a phone's apostrophes. */
const WRITTEN_ALIKE = new Map([
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
 * The text as it is compared: upper case, without accents, fullwidth forms and ligatures resolved (NFKD), each run of
 * whitespace one space. By way of lower case, because only ß, not ẞ, becomes SS and only ı and i share an upper case.
 */
function fold(text: string): string {
  return (
    text
      .toLowerCase()
      .toUpperCase()
      .normalize("NFKD")
      // Marks that belong to one script, such as the vowels of Thai and Hindi, are letters and not accents.
      .replace(/[\p{M}&&\p{Script=Inherited}]/gv, "")
      .toUpperCase()
      .replace(/[ØŁĐÆŒ‘’ʼ]/g, (letter) => WRITTEN_ALIKE.get(letter) ?? letter)
      .replace(/\s+/g, " ")
      .trim()
  );
}

/**
 * Folded text with a mark at both ends of each word, so that finding whole words is finding a piece of text. The mark
 * cannot be in the text: there are no lower-case letters in it.
 */
function markWords(folded: string): string {
  return folded.replace(/[\p{L}\p{N}\p{M}]+/gu, "w$&w");
}
