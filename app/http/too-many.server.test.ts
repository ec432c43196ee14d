import { expect, test } from "vitest";
import { tooMany } from "./too-many.server.ts";
import { secondsToWait } from "./wait.ts";

test.each([
  [1, "Wait 1 second and try again"],
  [43, "Wait 43 seconds and try again"],
])("%i", (seconds, message) => {
  expect(tooMany(seconds)).toEqual({
    ok: false,
    status: 429,
    message,
    headers: { "Retry-After": String(seconds) },
  });
  expect(secondsToWait(message)).toBe(seconds);
});

test("nothing else has anybody wait", () => {
  expect(secondsToWait("Wait a moment")).toBe(0);
});
