import { expect, test } from "vitest";
import { tooManyRequests } from "./rate-limit.server.ts";

test.each([
  [1, "1 second"],
  [43, "43 seconds"],
  [120, "120 seconds"],
  [121, "3 minutes"],
  [300, "5 minutes"],
  [7200, "120 minutes"],
  [7201, "3 hours"],
  [86_277, "24 hours"],
])("%i seconds are %s for people, and seconds for programs", (seconds, words) => {
  expect(tooManyRequests({ config: { limitsTimes: 1 } }, seconds)).toEqual({
    ok: false,
    status: 429,
    message: `Wait ${words} and try again`,
    headers: { "Retry-After": String(seconds) },
    retryAfterSeconds: seconds,
  });
});
