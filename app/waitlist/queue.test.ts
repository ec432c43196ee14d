import fc from "fast-check";
import { expect, test } from "vitest";
import { queueOrder } from "./queue.ts";

const alone = (...ids: string[]) => ids.map((id) => ({ id, referredBy: null }));
const TWELVE = alone(..."abcdefghijkl");

const placeOf = (id: string, line: string[]) => line.indexOf(id) + 1;

test("people stand in the order in which they confirmed", () => {
  expect(queueOrder([])).toEqual([]);
  expect(queueOrder(alone("a", "b", "c"))).toEqual(["a", "b", "c"]);
});

test("a friend moves one up five places, past those in between and nobody else", () => {
  expect(queueOrder([...TWELVE, { id: "x", referredBy: "l" }]).join("")).toBe("abcdeflghijkx");
});

test("near the top one comes to be first, and stays it", () => {
  const friends = ["x", "y"].map((id) => ({ id, referredBy: "c" }));
  expect(queueOrder([...TWELVE, ...friends]).join("")).toBe("cabdefghijklxy");
});

test.each(["h", "k", "l"])("it is five places also when others have moved before: %s", (mover) => {
  const before = [...TWELVE, { id: "x", referredBy: "g" }, { id: "y", referredBy: "i" }];
  const after = [...before, { id: "z", referredBy: mover }];
  expect(placeOf(mover, queueOrder(before)) - placeOf(mover, queueOrder(after))).toBe(5);
});

test("a friend of somebody who has left moves nobody", () => {
  expect(queueOrder([...TWELVE, { id: "x", referredBy: "gone" }]).join("")).toBe("abcdefghijklx");
});

test("whatever the referrals: everybody has one place, and every friend is worth five or the top", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(), { maxLength: 60 }), (picks) => {
      const members = picks.map((pick, index) => ({
        id: String(index),
        referredBy: index > 0 && pick % 3 > 0 ? String(pick % index) : null,
      }));
      members.forEach(({ referredBy }, index) => {
        const [before, after] = [
          queueOrder(members.slice(0, index)),
          queueOrder(members.slice(0, index + 1)),
        ];
        expect(new Set(after).size).toBe(index + 1);
        if (referredBy === null) return;
        expect(placeOf(referredBy, after)).toBe(Math.max(1, placeOf(referredBy, before) - 5));
      });
    }),
  );
});
