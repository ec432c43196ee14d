import { expect, test } from "vitest";
import { countSentence } from "./count-sentence.ts";

test.each([
  [0, 1, "No lines labeled yet."],
  [0, 12, "No lines labeled yet."],
  [1, 1, "The one line is labeled."],
  [1, 2, "1 of 2 labeled, 1 needs a name."],
  [6, 12, "6 of 12 labeled, 6 need a name."],
  [12, 12, "All 12 lines labeled."],
])("%i of %i: %s", (labelled, all, sentence) => {
  expect(countSentence(labelled, all)).toBe(sentence);
});
