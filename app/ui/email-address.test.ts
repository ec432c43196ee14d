import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emailAddress } from "../auth/person-fields.server.ts";
import { foldAddress, isEmailAddress } from "./email-address.ts";

const read = (typed: string) => emailAddress.safeParse(typed);

describe("what people have for an address is taken", () => {
  test.each([
    "someone@xn--e1afmkfd.xn--p1ai",
    "r&d@example.com",
    "sales/eu@example.com",
    "a=b@example.com",
    "wow!@example.com",
    "o'brien+news@example.co.uk",
    "{curly}|pipe~tilde^hat`tick@example.com",
    "$money%of#mine?*_-@example.com",
    "trailing.@example.com",
    "two..dots@example.com",
    "mailhost!username@example.org",
    "1@2.example",
    "name@my-host.example-domain.travel",
    "name@localhost",
    `${"a".repeat(64)}@example.com`,
  ])("%s", (typed) => expect(read(typed).data).toBe(typed));

  test.each([
    ["someone@пример.рф", "someone@xn--e1afmkfd.xn--p1ai"],
    ["someone@bücher.example", "someone@xn--bcher-kva.example"],
    ["someone@BÜCHER.example", "someone@xn--bcher-kva.example"],
    ["someone@faß.example", "someone@xn--fa-hia.example"],
    ["someone@例え。テスト", "someone@xn--r8jz45g.xn--zckzah"],
    ["someone＠example．com", "someone@example.com"],
    ["ｓｏｍｅｏｎｅ@example.com", "someone@example.com"],
    ["\u202asomeone@exam\u00adple.com\u202c", "someone@example.com"],
    ["\u200bsome\u2060one@\u200eexample.com\ufeff\u00a0", "someone@example.com"],
    ["someone@bü\u200bcher.example", "someone@xn--bcher-kva.example"],
    ["someone@نامه\u200cای.com", "someone@xn--mgba3gch31f060k.com"],
    ["\t someone@example.com \n", "someone@example.com"],
  ])("%s is stored as %s", (typed, address) => expect(read(typed).data).toBe(address));
});

test.each([
  ["", "like name@example.com"],
  ["someone", "like name@example.com"],
  ["a@b@example.com", "like name@example.com"],
  ["someone@пример.рф/path", "like name@example.com"],
  ["someone@пример.рф:80", "like name@example.com"],
  ["someone@evil.example#.пример.рф", "like name@example.com"],
  ["someone@-example.com", "like name@example.com"],
  ["someone@example..com", "like name@example.com"],
  ["some one@example.com", "like name@example.com"],
  ["someone@example.com, other@example.com", "like name@example.com"],
  ["Some One <someone@example.com>", "like name@example.com"],
  ["someone@exa\u0000mple.com", "like name@example.com"],
  [`${"a".repeat(65)}@example.com`, "like name@example.com"],
  ["почта@example.com", "only letters from a to z before the @"],
  ["jörg@bücher.example", "only letters from a to z before the @"],
  [`someone@${"a".repeat(300)}.example`, "at most 254 characters"],
  [
    `someone@${"ü".repeat(60)}.${"ü".repeat(60)}.${"ü".repeat(60)}.${"ü".repeat(50)}.example`,
    "at most 254 characters",
  ],
])("%s is refused: %s", (typed, message) =>
  expect(
    read(typed)
      .error?.issues.map((issue) => issue.message)
      .join(),
  ).toContain(message),
);

test("whatever is taken is plain, short enough, and the same when it is read again", () => {
  const part = fc.string({ unit: "binary", maxLength: 30 });
  const typed = fc.oneof(
    fc.emailAddress(),
    fc.tuple(part, part).map(([local, domain]) => `${local}@${domain}`),
    fc
      .tuple(fc.string({ maxLength: 8 }), fc.string({ unit: "grapheme", maxLength: 8 }))
      .map((it) => `${it.join("@")}.example`),
  );
  fc.assert(
    fc.property(typed, (text) => {
      const { data } = read(text);
      if (data === undefined) return;
      expect(data).toMatch(/^[!-~]{3,254}$/);
      expect(isEmailAddress(data)).toBe(true);
      expect(foldAddress(data)).toBe(data);
    }),
    { numRuns: 3000 },
  );
});

test("the longest input is read in a moment", () => {
  const before = process.threadCpuUsage();
  for (const text of ["a\u0315\u0300".repeat(500_000), `${"a".repeat(1_000_000)}@`, "@".repeat(1_000_000)])
    expect(read(text).success).toBe(false);
  expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
});
