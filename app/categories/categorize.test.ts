import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LONG_LINES } from "../marketing/try-it/long-texts.fixture.ts";
import { type Category, categorize, splitKeywords } from "./categorize.ts";

/** Whether a keyword finds a line. */
function finds(keyword: string, line: string): boolean {
  return categorize([line], [{ name: "Mine", keywords: [keyword] }])[0] === "Mine";
}

describe("a keyword matches", () => {
  test.each([
    ["TESCO", "tesco stores 4412", "capitals do not matter"],
    ["cafe", "CAFÉ ODÉON", "nor do accents of the line"],
    ["café", "CAFE ODEON", "or of the keyword"],
    ["cafe\u0301", "CAF\u00c9", "however an accent is stored"],
    ["strasse", "HAUPTSTRAßE", "no", false],
    ["hauptstrasse", "HAUPTSTRAßE 7", "ß is ss"],
    ["fußball", "FUSSBALL GMBH", "and ss is ß"],
    ["STRAẞE", "strasse", "also as a capital"],
    ["istanbul", "İSTANBUL KART", "the Turkish capital i"],
    ["bakkali", "TÜRK BAKKALI", "and the other one"],
    ["bakkalı", "TÜRK BAKKALI", "written as in Turkish"],
    ["tesco", "ＴＥＳＣＯ　４４１２", "fullwidth forms"],
    ["office", "THE OﬃCE", "ligatures"],
    ["οδος", "ΟΔΟΣ ΕΡΜΟΥ", "the last sigma of a word"],
    ["zolty", "ŻÓŁTY SKLEP", "a stroke through a letter"],
    ["smorrebrod", "SMØRREBRØD", "in Danish too"],
    ["sainsbury's", "SAINSBURY’S LOCAL", "a phone's apostrophe"],
    ["sainsbury", "SAINSBURY'S LOCAL", "what stands before an apostrophe"],
    ["tesco", "TESCO STORES 4412", "at the start"],
    ["4412", "TESCO STORES 4412", "at the end"],
    ["tesco", "PAYPAL *TESCO-STORES", "between signs"],
    ["tesco", "TESCO_STORES", "an underscore is a sign"],
    ["sq *corner", "SQ *CORNER COFFEE", "several words with signs"],
    ["*corner", "SQ *CORNER COFFEE", "starting with a sign"],
    ["h&m", "H&M ONLINE", "signs between letters"],
    ["amazon.co.uk", "AMAZON.CO.UK*2X", "dots"],
    ["corner coffee", "SQ *CORNER \t  COFFEE", "a run of spaces is one"],
    ["corner  coffee", "SQ *CORNER\u00a0COFFEE", "of whatever width"],
    [" tesco ", "TESCO", "spaces around it do not count"],
    ["東京電力", "カード 東京電力 12", "scripts without capitals"],
    ["ปีน", "ร้าน ปีน 7", "vowels written as marks"],
  ])("%j in %j: %s", (keyword, line, _why, expected = true) => {
    expect(finds(keyword, line)).toBe(expected);
  });

  test.each([
    ["bar", "BARCLAYS", "only the start of a word"],
    ["bar", "CROWBAR", "only its end"],
    ["tesco", "TESCO4412", "a digit goes on with a word"],
    ["bar", "ÉBAR", "an accented letter does too"],
    ["bar", "\u{10400}BAR", "and one outside the basic plane"],
    ["corner coffee", "CORNERCOFFEE", "a space is there or is not"],
    ["a.b", "AXB", "a dot is a dot"],
    ["coffee corner", "CORNER COFFEE", "words in another order"],
    ["ปน", "ปีน", "a vowel is not an accent"],
    ["", "TESCO", "blank"],
    [" \t ", "TESCO", "only spaces"],
    ["\u0301", "CAFÉ", "only an accent"],
  ])("%j not in %j: %s", (keyword, line) => {
    expect(finds(keyword, line)).toBe(false);
  });
});

describe("which category", () => {
  const shop = { name: "Sunday shop", keywords: ["tesco", "aldi"] };

  test("the longest keyword wins, wherever it is written", () => {
    const parcels = { name: "Parcels", keywords: ["amazon"] };
    const evenings = { name: "Sofa evenings", keywords: ["netflix", "amazon prime"] };
    const lines = ["AMAZON PRIME", "AMAZON MKTPLACE", "NETFLIX.COM"];
    const expected = ["Sofa evenings", "Parcels", "Sofa evenings"];
    expect(categorize(lines, [parcels, evenings])).toEqual(expected);
    expect(categorize(lines, [evenings, parcels])).toEqual(expected);
  });

  test("length is counted as it is compared, so an accent or a capital does not decide", () => {
    const written = [
      { name: "First", keywords: ["straße"] },
      { name: "Second", keywords: ["allee 7"] },
    ];
    expect(categorize(["ALLEE 7 STRASSE"], written)).toEqual(["First"]);
  });

  test("of equally long keywords the first that was written wins", () => {
    const one = { name: "One", keywords: ["zzz", "tesco"] };
    const other = { name: "Other", keywords: ["aldi!"] };
    expect(categorize(["TESCO ALDI!"], [one, other])).toEqual(["One"]);
    expect(categorize(["TESCO ALDI!"], [other, one])).toEqual(["Other"]);
  });

  test("a line without one still needs a name", () => {
    expect(categorize(["TESCO", "BARCLAYS"], [shop])).toEqual(["Sunday shop", null]);
    expect(categorize(["TESCO"], [])).toEqual([null]);
    expect(categorize([], [shop])).toEqual([]);
  });
});

describe("splitKeywords", () => {
  test.each([
    ["tesco, aldi", ["tesco", "aldi"]],
    ["tesco\naldi\r\nlidl", ["tesco", "aldi", "lidl"]],
    [" ,,\n tesco ,\t", ["tesco"]],
    ["Café, CAFE, cafe\u0301", ["Café"]],
    ["sq  *corner, h&m", ["sq *corner", "h&m"]],
    ["", []],
  ])("%j", (typed, expected) => expect(splitKeywords(typed)).toEqual(expected));
});

test("every character there is finds itself in either case, composed or not", () => {
  const odd: string[] = [];
  for (let code = 0; code <= 0x10ffff; code++) {
    const character = String.fromCodePoint(code);
    // Some count as letters and are an accent on its own, such as U+037A.
    if (!/[\p{L}\p{N}]/u.test(character.normalize("NFKD"))) continue;
    const spellings = [
      character.toUpperCase(),
      character.toLowerCase(),
      character.normalize("NFC"),
      character.normalize("NFD"),
      character.normalize("NFKC"),
    ];
    const differing = spellings.filter((spelling) => spelling !== character);
    if (!differing.every((spelling) => finds(spelling, character) && finds(character, spelling)))
      odd.push(`U+${code.toString(16)}`);
  }
  expect(odd).toEqual([]);
});

describe("whatever is typed", () => {
  const piece = fc.constantFrom(
    "tesco",
    "CAFÉ",
    "ß",
    "İ",
    "ı",
    "ﬁ",
    " ",
    "  ",
    "*",
    "-",
    ".",
    "(",
    "[",
    "\\",
    "$&",
    "w",
    "4",
    "ø",
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "binary", maxLength: 30 }),
  );
  const categories: fc.Arbitrary<Category[]> = fc.array(
    fc.record({ name: fc.string({ minLength: 1 }), keywords: fc.array(text, { maxLength: 4 }) }),
    { maxLength: 4 },
  );
  const lines = fc.array(text, { maxLength: 6 });
  const runs = { numRuns: 1000 };

  test("each line gets one of the names or none, by itself alone", () => {
    fc.assert(
      fc.property(lines, categories, (lines, categories) => {
        const names = categorize(lines, categories);
        expect(names).toHaveLength(lines.length);
        for (const [index, line] of lines.entries()) {
          expect([...categories.map(({ name }) => name), null]).toContain(names[index]);
          expect(categorize([line], categories)).toEqual([names[index]]);
        }
      }),
      runs,
    );
  });

  test("case and accents never decide", () => {
    const change = fc.constantFrom(
      (text: string) => text.toUpperCase(),
      (text: string) => text.toLowerCase(),
      (text: string) => text.normalize("NFD"),
      (text: string) => text.normalize("NFC"),
      (text: string) => text.normalize("NFD").replace(/[\u0300-\u036f]/g, ""),
    );
    fc.assert(
      fc.property(lines, categories, change, (lines, categories, change) => {
        const changed = categories.map(({ name, keywords }) => ({ name, keywords: keywords.map(change) }));
        const expected = categorize(lines, categories);
        expect(categorize(lines.map(change), categories)).toEqual(expected);
        expect(categorize(lines, changed)).toEqual(expected);
      }),
      runs,
    );
  });

  test("another keyword never takes a line's label away", () => {
    fc.assert(
      fc.property(lines, categories, text, (lines, categories, keyword) => {
        const before = categorize(lines, categories);
        const after = categorize(lines, [...categories, { name: "Later", keywords: [keyword] }]);
        for (const [index, name] of before.entries()) if (name !== null) expect(after[index]).not.toBeNull();
      }),
      runs,
    );
  });

  test("a keyword of ordinary characters finds itself among other words, and signs in it mean nothing", () => {
    const printable = fc
      .string({ unit: "grapheme-ascii", minLength: 1, maxLength: 20 })
      .filter((text) => /\S/.test(text));
    fc.assert(
      fc.property(printable, (keyword) => {
        expect(finds(keyword, `x1 ${keyword} y2`)).toBe(true);
        expect(finds(keyword, "¶")).toBe(false);
      }),
      runs,
    );
  });

  test("splitting again what was split changes nothing", () => {
    fc.assert(
      fc.property(text, (typed) => {
        const keywords = splitKeywords(typed);
        expect(splitKeywords(keywords.join(","))).toEqual(keywords);
      }),
      runs,
    );
  });

  test.each(LONG_LINES)("a line of a million characters is read to its end: %s", (_what, keyword, line) => {
    expect(categorize([line], [{ name: "Mine", keywords: [keyword] }])).toEqual([null]);
  });
});
