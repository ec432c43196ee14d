import fc from "fast-check";
import { expect, test } from "vitest";
import { judgeFillTime, LEAST_SECONDS, signTime } from "./fill-time.server.ts";

const SECRET = "a secret of at least thirty-two characters";
const OPENED = Date.UTC(2026, 10, 21, 12, 0, 0);
const signed = signTime(OPENED, SECRET);

test.each([
  [0, { kind: "early", retryAfterSeconds: 3 }],
  [1, { kind: "early", retryAfterSeconds: 3 }],
  [1000, { kind: "early", retryAfterSeconds: 2 }],
  [2999, { kind: "early", retryAfterSeconds: 1 }],
  [3000, { kind: "human" }],
  [25 * 60 * 60 * 1000, { kind: "human" }],
  [400 * 24 * 60 * 60 * 1000, { kind: "human" }],
  // Another process's clock may be ahead of ours.
  [-1500, { kind: "early", retryAfterSeconds: 5 }],
])("sent %i ms after it was opened", (later, expected) => {
  expect(judgeFillTime(signed, OPENED + later, SECRET)).toEqual(expected);
});

test("the time is kept to the second, rounded down", () => {
  expect(signTime(OPENED + 999, SECRET)).toBe(signed);
  expect(signTime(OPENED + 1000, SECRET)).not.toBe(signed);
});

test("waiting as long as it said is always enough", () => {
  fc.assert(
    fc.property(fc.integer({ min: -10_000, max: 4_000 }), (later) => {
      const judged = judgeFillTime(signed, OPENED + later, SECRET);
      fc.pre(judged.kind === "early");
      const pressedAgain = OPENED + later + judged.retryAfterSeconds * 1000;
      expect(judgeFillTime(signed, pressedAgain, SECRET)).toEqual({ kind: "human" });
    }),
  );
});

const [second = "", signature = ""] = signed.split(".");

test.each([
  ["missing", undefined],
  ["empty", ""],
  ["a file", new File([], "x")],
  ["without signature", second],
  ["of another secret", signTime(OPENED, `${SECRET}!`)],
  ["moved to an earlier second", `${Number(second) - LEAST_SECONDS}.${signature}`],
  ["with another signature", `${second}.${"A".repeat(43)}`],
  ["with a short signature", `${second}.${signature.slice(1)}`],
  ["with something after it", `${signed}=`],
  ["with NUL", `${second}\u0000.${signature}`],
])("a time that is %s counts for nothing", (_what, time) => {
  expect(judgeFillTime(time, OPENED + 60_000, SECRET)).toEqual({ kind: "unknown" });
});
