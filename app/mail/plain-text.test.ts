import fc from "fast-check";
import { expect, test } from "vitest";
import { MESSAGE, SITE } from "./message.fixture.ts";
import { toPlainText, toPreview, wrap } from "./plain-text.ts";

test("says what the HTML part says, with every address on a line of its own", () => {
  expect(
    toPlainText(SITE, MESSAGE),
  ).toBe(`Somebody, hopefully you, asked for a place on the waitlist with this
address. Press the button and it is yours.

Nothing else happens until you do.

Confirm my place:
https://own.example/waitlist/confirm?token=abc

-- 

You get this because your address was entered on own.example.
Leave the waitlist:
https://own.example/waitlist/leave?token=abc

Own Words
https://own.example`);
});

test("a preview is the same text without the breaks of its lines", () => {
  expect(toPreview(SITE, MESSAGE)).toContain(
    "Somebody, hopefully you, asked for a place on the waitlist with this address. Press the button and it is yours.\n\n",
  );
  expect(wrap(toPreview(SITE, MESSAGE))).toBe(toPlainText(SITE, MESSAGE));
});

test("an address to write to stands in the line that asks for it", () => {
  const link = { label: "support@own.example", url: "mailto:support@own.example" };
  const text = toPlainText(SITE, { ...MESSAGE, footnotes: [{ text: "Write to us:", link }] });
  expect(text).toContain("\n\nWrite to us: support@own.example\n\n");
  expect(text).not.toContain("mailto:");
});

test("line breaks that a person typed stay, of whatever system", () => {
  expect(wrap("one\r\ntwo\n\nthree\rfour")).toBe("one\ntwo\n\nthree\nfour");
});

test("a word longer than a line stays whole, on a line of its own", () => {
  const link = `https://own.example/${"x".repeat(100)}`;
  expect(wrap(`See ${link} now`)).toBe(`See\n${link}\nnow`);
});

test("no line is longer than it must be, and no word is lost", () => {
  const words = fc.array(fc.stringMatching(/^[a-zé€-]{1,90}$/), { minLength: 1 });
  fc.assert(
    fc.property(words, (words) => {
      const lines = wrap(words.join(" ")).split("\n");
      expect(lines.flatMap((line) => line.split(" "))).toEqual(words);
      for (const line of lines) expect(line.length <= 72 || !line.includes(" ")).toBe(true);
      // As few as can be: what begins a line had no room on the one before.
      for (const [index, line] of lines.entries()) {
        const before = lines[index - 1];
        if (before !== undefined)
          expect(before.length + 1 + (line.split(" ")[0] ?? "").length).toBeGreaterThan(72);
      }
    }),
  );
});
