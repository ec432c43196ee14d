import fc from "fast-check";
import { expect, test } from "vitest";
import { FORM_DAYS, judgeFillTime, LEAST_SECONDS, signTime } from "./fill-time.server.ts";

const SECRET = "a secret of at least thirty-two characters";
const OPENED = Date.UTC(2026, 10, 21, 12, 0, 0);
const signed = signTime(OPENED, SECRET);
const [second = "", id = "", signature = ""] = signed.split(".");

test.each([
  [0, { kind: "early", id, remainingSeconds: 3 }],
  [1000, { kind: "early", id, remainingSeconds: 2 }],
  [2500, { kind: "early", id, remainingSeconds: 0.5 }],
  [3000, { kind: "human", id }],
  [25 * 60 * 60 * 1000, { kind: "human", id }],
  [FORM_DAYS * 24 * 60 * 60 * 1000, { kind: "human", id }],
  [FORM_DAYS * 24 * 60 * 60 * 1000 + 1, { kind: "unknown" }],
  // Another process's clock may be ahead of ours.
  [-1500, { kind: "early", id, remainingSeconds: 3 }],
])("sent %i ms after it was opened", (later, expected) => {
  expect(judgeFillTime(signed, OPENED + later, [SECRET])).toEqual(expected);
});

test("one signed with the secret before is a person's while that is set", () => {
  const judge = (...secrets: string[]) => judgeFillTime(signed, OPENED + 60_000, secrets);
  expect(judge("the secret that came after", SECRET)).toEqual({ kind: "human", id });
  expect(judge("the secret that came after")).toEqual({ kind: "unknown" });
});

test("the time is kept to the second, rounded down; each form has an id of its own", () => {
  const [other, next] = [signTime(OPENED + 999, SECRET), signTime(OPENED + 1000, SECRET)];
  expect(other.split(".")[0]).toBe(second);
  expect(next.split(".")[0]).not.toBe(second);
  expect(other).not.toBe(signed);
});

test("waiting as long as it says is enough, unless a clock is ahead", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 4_000 }), (later) => {
      const judged = judgeFillTime(signed, OPENED + later, [SECRET]);
      fc.pre(judged.kind === "early");
      expect(judged.remainingSeconds).toBeLessThanOrEqual(LEAST_SECONDS);
      const afterwards = OPENED + later + judged.remainingSeconds * 1000;
      expect(judgeFillTime(signed, Math.ceil(afterwards), [SECRET])).toEqual({ kind: "human", id });
    }),
  );
});

test.each([
  ["missing", undefined],
  ["empty", ""],
  ["a file", new File([], "x")],
  ["without signature", `${second}.${id}`],
  ["without an id", `${second}.${signature}`],
  ["with the id of another form", `${second}.${"A".repeat(22)}.${signature}`],
  ["of another secret", signTime(OPENED, `${SECRET}!`)],
  ["moved to an earlier second", `${Number(second) - LEAST_SECONDS}.${id}.${signature}`],
  ["with another signature", `${second}.${id}.${"A".repeat(43)}`],
  ["with a short signature", `${second}.${id}.${signature.slice(1)}`],
  ["with something after it", `${signed}=`],
  ["with NUL", `${second}\u0000.${id}.${signature}`],
])("a time that is %s counts for nothing", (_what, time) => {
  expect(judgeFillTime(time, OPENED + 60_000, [SECRET])).toEqual({ kind: "unknown" });
});
