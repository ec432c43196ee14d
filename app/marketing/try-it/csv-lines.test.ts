import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPastedLines } from "./csv-lines.ts";
import { LONG_TEXTS } from "./long-texts.fixture.ts";

const TESCO = { text: "TESCO STORES 4412", minorUnits: -2380 };
const PAY = { text: "HARTLEY DESIGN LTD", minorUnits: 214000 };
const BOTH = { lines: [TESCO, PAY], remarks: [] };

describe("reads without a remark", () => {
  test.each([
    ["commas", "2026-01-31,TESCO STORES 4412,-23.80\n2026-02-01,HARTLEY DESIGN LTD,2140.00"],
    [
      "a header",
      "Date,Description,Amount\n31/01/2026,TESCO STORES 4412,-23.80\n01/02/2026,HARTLEY DESIGN LTD,2140.00",
    ],
    [
      "semicolons and European decimals",
      "31.01.2026;TESCO STORES 4412;-23,80\n01.02.2026;HARTLEY DESIGN LTD;2.140,00",
    ],
    [
      "tabs, as from a spreadsheet",
      "31 Jan 2026\tTESCO STORES 4412\t-£23.80\n1 Feb 2026\tHARTLEY DESIGN LTD\t£2,140.00",
    ],
    [
      "Windows line ends and a byte order mark",
      "\ufeffDate,Text,Amount\r\n1,TESCO STORES 4412,-23.80\r\n2,HARTLEY DESIGN LTD,2140.00\r\n",
    ],
    ["old Mac line ends", "TESCO STORES 4412,-23.80\rHARTLEY DESIGN LTD,2140.00\r"],
    ["quoted fields", '"TESCO STORES 4412","-23.80"\n"HARTLEY DESIGN LTD","2,140.00"'],
    ["spaces around", ' "TESCO STORES 4412" , -23.80 \n HARTLEY DESIGN LTD , "2,140.00"'],
    ["blank lines", "\n\nTESCO STORES 4412,-23.80\n\n,\nHARTLEY DESIGN LTD,2140.00\n\n"],
    ["parentheses", "TESCO STORES 4412,(23.80)\nHARTLEY DESIGN LTD,2140.00"],
    ["amounts before words", "-23.80,TESCO STORES 4412\n2140.00,HARTLEY DESIGN LTD"],
    [
      "a reference number after the amount",
      "TESCO STORES 4412,-23.80,000123\nHARTLEY DESIGN LTD,2140.00,000124",
    ],
    [
      "a balance, by its name",
      "Details,Value,Balance\nTESCO STORES 4412,-23.80,900.00\nHARTLEY DESIGN LTD,2140.00,3040.00",
    ],
    [
      "an account number and a type that repeats",
      "GB29NWBK60161331926819,CONTACTLESS CARD PAYMENT,TESCO STORES 4412,-23.80\nGB29NWBK60161331926819,CONTACTLESS CARD PAYMENT,HARTLEY DESIGN LTD,2140.00",
    ],
    [
      "money out and money in",
      "TESCO STORES 4412,23.80,\nHARTLEY DESIGN LTD,,2140.00",
      "column 2 (money out) and column 3 (money in)",
    ],
    [
      "the two with zeros",
      "TESCO STORES 4412,23.80,0.00\nHARTLEY DESIGN LTD,0.00,2140.00",
      "column 2 (money out) and column 3 (money in)",
    ],
    [
      "the two by name, in the other order",
      "What,Credit,Debit,Balance\nTESCO STORES 4412,,23.80,1\nHARTLEY DESIGN LTD,2140.00,,2",
      "the column “Debit” (money out) and the column “Credit” (money in)",
    ],
  ])("%s", (_what, text, amountsFrom?: string) => {
    const remarks = amountsFrom ? [`The amounts are from ${amountsFrom}.`] : [];
    expect(readPastedLines(text)).toEqual({ ...BOTH, remarks });
  });
});

test("takes the last of several columns of amounts, and says so", () => {
  expect(readPastedLines("TESCO STORES 4412,-23.80,900.00\nHARTLEY DESIGN LTD,2140.00,3040.00")).toEqual({
    lines: [
      { ...TESCO, minorUnits: 90000 },
      { ...PAY, minorUnits: 304000 },
    ],
    remarks: ["The amounts are from column 3."],
  });
});

test("a quoted field may hold delimiters, line ends and quotation marks", () => {
  const text = '1,"TESCO, ""THE"" SHOP\r\n4412; LEEDS",-23.80\n2,HARTLEY DESIGN LTD,x\n3,ALDI,-1.00';
  expect(readPastedLines(text)).toEqual({
    lines: [
      { text: 'TESCO, "THE" SHOP 4412; LEEDS', minorUnits: -2380 },
      { text: "HARTLEY DESIGN LTD", minorUnits: null },
      { text: "ALDI", minorUnits: -100 },
    ],
    remarks: ["Line 3 has no amount."],
  });
});

describe("says what it did not understand", () => {
  const line = "SHOP,-1.00";
  test.each([
    ["one amount", ["A,-1.00", "B,-1.00", "C,later"], ["Line 3 has no amount."]],
    ["two amounts", ["A,-1.00", "B,", "C,-1.00", "D,"], ["Lines 2 and 4 have no amount."]],
    ["a line below a header", ["What,Amount", "A,-1.00", "B,-1.00", "C,?"], ["Line 4 has no amount."]],
    [
      "many amounts",
      [...Array(9).fill(line), ...Array(8).fill("X,")],
      ["Lines 10, 11, 12, 13, 14 and 3 more have no amount."],
    ],
    ["all amounts", ["TESCO STORES", "ALDI"], ["No amounts were found."]],
    ["words", ["A,-1.00", ",-1.00", "C,-1.00"], ["Line 2 has no words to match."]],
    ["a quotation mark", ["A,-1.00", '"B,-1.00'], ["A quotation mark on line 2 is never closed."]],
    [
      "everything",
      ["1,2,3"],
      ["No bank lines were found. One looks like this: 2026-01-31, KROGER #4412, -23.80"],
    ],
  ])("%s", (_what, lines, remarks) => expect(readPastedLines(lines.join("\n")).remarks).toEqual(remarks));

  test("a quotation mark that is never closed stands for itself", () => {
    expect(readPastedLines('A,-1.00\n"B,-1.00').lines[1]).toEqual({ text: '"B', minorUnits: -100 });
  });

  test.each([
    ["200 lines", 200, 0],
    ["201 lines", 201, 1],
    ["20 000 lines", 20_000, 1],
  ])("%s", (_what, count, remarks) => {
    for (const header of ["", "What,Amount\n"]) {
      const pasted = readPastedLines(header + `${line}\n`.repeat(count));
      expect(pasted.lines).toHaveLength(200);
      expect(pasted.remarks).toEqual(Array(remarks).fill("Only the first 200 lines are shown."));
    }
  });
});

describe("whatever is pasted", () => {
  const piece = fc.constantFrom(
    ",",
    ";",
    "\t",
    '"',
    "\n",
    "\r\n",
    "\r",
    " ",
    "-",
    "(",
    ")",
    "1.00",
    "2,50",
    "TESCO",
    "é",
    "\ufeff",
    "€",
  );
  const text = fc.oneof(
    fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join("")),
    fc.string({ unit: "binary" }),
  );

  test("nothing throws, every line has words and an exact amount or none", () => {
    fc.assert(
      fc.property(text, (text) => {
        const { lines, remarks } = readPastedLines(text);
        expect(lines.length).toBeLessThanOrEqual(200);
        if (lines.length === 0) expect(remarks).not.toEqual([]);
        for (const { text, minorUnits } of lines) {
          expect(text.trim()).not.toBe("");
          expect(minorUnits === null || Number.isSafeInteger(minorUnits)).toBe(true);
        }
      }),
      { numRuns: 3000 },
    );
  });

  test("what is properly quoted comes back, with any of the delimiters", () => {
    const words = fc
      .string({ unit: "binary", minLength: 3, maxLength: 20 })
      .map((text) => `ABCDEFGH ${text} HGFEDCBA`.replace(/\s+/g, " "));
    fc.assert(
      fc.property(
        fc.array(words, { minLength: 2, maxLength: 8 }),
        fc.constantFrom(",", ";", "\t"),
        (texts, delimiter) => {
          const rows = texts.map((text) => `"${text.replaceAll('"', '""')}"${delimiter}"-1.00"`);
          expect(readPastedLines(rows.join("\n"))).toEqual({
            lines: texts.map((text) => ({ text, minorUnits: -100 })),
            remarks: [],
          });
        },
      ),
      { numRuns: 1000 },
    );
  });

  test.each(LONG_TEXTS)("of a million characters of %s the first lines are read", (_what, text) => {
    const { lines, remarks } = readPastedLines(text);
    expect(lines.length).toBeLessThanOrEqual(200);
    expect(remarks).not.toEqual([]);
  });
});
