import { expect, test } from "vitest";
import { initialOf } from "./signed-in-as.tsx";

test.each([
  ["ada", "A"],
  [" zoë", "Z"],
  ["👩‍👩‍👧 family", "👩‍👩‍👧"],
  ["🇫🇷 Marie", "🇫🇷"],
  ["👍🏽 Yes", "👍🏽"],
  ["e\u0301lan", "E\u0301"],
  ["क्षितिज", "क्षि"],
  ["ö@example.com", "Ö"],
  ["1️⃣ One", "1️⃣"],
  ["", ""],
])("the initial of %j is one character as people see it", (name, initial) => {
  expect(initialOf(name)).toBe(initial);
});
