import { expect, test } from "vitest";
import { countSentence } from "./count-sentence.ts";

test.each([
  [0, 1, "No lines labelled yet."],
  [0, 12, "No lines labelled yet."],
  [1, 1, "The one line is labelled."],
  [1, 2, "1 of 2 labelled, 1 yours to name."],
  [6, 12, "6 of 12 labelled, 6 yours to name."],
  [12, 12, "All 12 lines labelled."],
])("%i of %i: %s", (labelled, all, sentence) => {
  expect(countSentence(labelled, all)).toBe(sentence);
});
