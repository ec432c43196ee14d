/** What a careless pattern would take hours for: a name, the keyword that is looked for, and the line. */
export const LONG_LINES: readonly (readonly [name: string, keyword: string, line: string])[] = [
  ["one endless word", "a".repeat(400), "a".repeat(1_000_000)],
  ["nearly the keyword, again and again", `${"a ".repeat(199)}b`, "a ".repeat(500_000)],
  ["nothing but spaces", "x  y", " ".repeat(1_000_000)],
  ["a heap of accents", "e", `e${"\u0301".repeat(1_000_000)}x`],
  ["signs a pattern would choke on", "(a+)+$", "(a+)+".repeat(200_000)],
];

/** The same of what may be pasted. */
export const LONG_TEXTS: readonly (readonly [name: string, text: string])[] = [
  ["quotation marks", '"'.repeat(1_000_001)],
  ["quotation marks at the start of fields", '"a,\n'.repeat(250_001)],
  ["delimiters", ",".repeat(1_000_000)],
  ["one field of digits", "1".repeat(1_000_000)],
  ["one field of digits in groups", "1,111".repeat(200_000).replaceAll(",", ".")],
  ["spaces in a number", `-${" ".repeat(1_000_000)}1`],
  ["line ends", "\r\n".repeat(500_000)],
];
