import { expect, test } from "vitest";
import { countSentence } from "./count-sentence.ts";

test.each([
  [0, 1, "No line is labelled yet."],
  [0, 12, "No line is labelled yet."],
  [1, 1, "The one line is labelled."],
  [1, 2, "1 of 2 lines is labelled; 1 is yours to name."],
  [6, 12, "6 of 12 lines are labelled; 6 are yours to name."],
  [12, 12, "All 12 lines are labelled."],
])("%i of %i: %s", (labelled, all, sentence) => {
  expect(countSentence(labelled, all)).toBe(sentence);
});
