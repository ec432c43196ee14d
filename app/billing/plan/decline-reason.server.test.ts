import { expect, test } from "vitest";
import { declineReason } from "./decline-reason.server.ts";

test("a decline code has a sentence, also one that is not known, and a thief is told no more than that", () => {
  expect(declineReason("insufficient_funds")).toBe("There wasn’t enough money on the card.");
  expect(declineReason(null)).toBeNull();
  const general = declineReason("a_code_of_next_year");
  expect(general).toMatch(/^Your bank declined it/);
  for (const code of ["stolen_card", "lost_card", "fraudulent"]) expect(declineReason(code)).toBe(general);
});
