import fc from "fast-check";
import { expect, test } from "vitest";
import { readAmount } from "./read-amount.ts";

test.each([
  ["23.80", 2380],
  ["-23.80", -2380],
  ["−23.80", -2380],
  ["23.80-", -2380],
  ["(23.80)", -2380],
  ["(£23.80)", -2380],
  ["-£23.80", -2380],
  ["£-23.80", -2380],
  ["£ 23.80", 2380],
  ["+2,140.00", 214000],
  ["2.140,00 €", 214000],
  ["-1.234.567,89 EUR", -123456789],
  ["1 234,50", 123450],
  ["1\u202f234,50\u00a0€", 123450],
  ["CHF 1'234.50", 123450],
  ["1,234", 123400],
  ["1.234", 123400],
  ["1234", 123400],
  ["12,5", 1250],
  [".50", 50],
  ["0.07", 7],
  ["-0.00", 0],
  ["12.50 DR", -1250],
  ["12.50CR", 1250],
  ["123,45 zł", 12345],
  ["9999999999999.99", 999999999999999],
])("%j is %d minor units", (cell, expected) => expect(readAmount(cell)).toBe(expected));

test.each([
  "",
  "-",
  ".",
  "€",
  "()",
  "(12.50",
  "12.50)",
  "TESCO 12.50",
  "12.50 TESCO",
  "2026-01-31",
  "31.01.2026",
  "31/01/2026",
  "31.01.26",
  "12:30",
  "50%",
  "1.234.5",
  "1,234,5",
  "12,34,567.00",
  "1.2345",
  "99999999999999.99",
  "--5",
  "1e5",
  "Infinity",
])("%j is not an amount", (cell) => expect(readAmount(cell)).toBeNull());

test("an amount is read back however a bank writes it", () => {
  const minorUnits = fc.integer({ min: -999_999_999_99, max: 999_999_999_99 });
  const notation = fc.constantFrom([",", "."], [".", ","], [" ", ","], ["'", "."], ["", "."], ["", ","]);
  fc.assert(
    fc.property(minorUnits, notation, (minorUnits, [thousands = "", decimal = ""]) => {
      const digits = String(Math.abs(minorUnits)).padStart(3, "0");
      const whole = digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, thousands);
      const written = `${minorUnits < 0 ? "-" : ""}${whole}${decimal}${digits.slice(-2)}`;
      expect(readAmount(written)).toBe(minorUnits);
    }),
    { numRuns: 2000 },
  );
});

test("any text is an exact whole number or nothing", () => {
  const text = fc.string({ unit: fc.constantFrom(..."0123456789.,'’ -−()+€DRC\u00a0e") });
  fc.assert(
    fc.property(fc.oneof(text, fc.string({ unit: "binary" })), (cell) => {
      const minorUnits = readAmount(cell);
      expect(minorUnits === null || (Number.isSafeInteger(minorUnits) && !Object.is(minorUnits, -0))).toBe(
        true,
      );
    }),
    { numRuns: 5000 },
  );
});
