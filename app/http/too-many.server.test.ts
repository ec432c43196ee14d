import { expect, test } from "vitest";
import { tooMany } from "./too-many.server.ts";

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
});
