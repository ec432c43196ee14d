import fc from "fast-check";
import { expect, test } from "vitest";
import { createQueue, type Queue } from "./replay.fixture.ts";

/** Somebody who confirmed, by a letter; by whose link; and with how many others on the list they were picked. */
interface Somebody {
  id: string;
  referredBy?: string;
  pickedWith?: number;
}

const alone = (...ids: string[]): Somebody[] => ids.map((id) => ({ id }));
const TWELVE = alone(..."abcdefghijkl");

/** Tickets are the members' positions, and so are the moments at which they confirmed. */
function queueOf(members: readonly Somebody[]): Queue {
  const queue = createQueue();
  const ticketOf = new Map(members.map(({ id }, index) => [id, index + 1]));
  members.forEach(({ id, referredBy, pickedWith }) => {
    const ticket = ticketOf.get(id) ?? 0;
    const pickedAt = pickedWith === undefined ? null : pickedWith + 0.5;
    const referrer = referredBy === undefined ? null : (ticketOf.get(referredBy) ?? 999);
    queue.add({ ticket, referredBy: referrer, confirmedAt: ticket, pickedAt });
  });
  return queue;
}

function queueOrder(members: readonly Somebody[]): string[] {
  const queue = queueOf(members);
  return queue.slice(0, queue.size()).map((ticket) => members[ticket - 1]?.id ?? "nobody");
}

/** The same list once these are picked, when it has this many members. */
const pick = (members: readonly Somebody[], ids: readonly string[], pickedWith = members.length) =>
  members.map((member) => (ids.includes(member.id) ? { ...member, pickedWith } : member));

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

test("a number is a place in the order; somebody who is not in it yet is behind everybody", () => {
  const queue = queueOf([...TWELVE, { id: "x", referredBy: "l" }]);
  expect([1, 12, 13, 99].map(queue.numberOf)).toEqual([1, 7, 13, 14]);
});

test("those who brought most are counted, also by friends who are invited already", () => {
  const queue = queueOf(
    pick(
      [...TWELVE, ...["x", "y"].map((id) => ({ id, referredBy: "c" })), { id: "z", referredBy: "d" }],
      ["x"],
    ),
  );
  expect(queue.topReferrers(5)).toEqual([
    { ticket: 3, friends: 2 },
    { ticket: 4, friends: 1 },
  ]);
  expect(queue.topReferrers(1)).toEqual([{ ticket: 3, friends: 2 }]);
  expect([queue.friendsOf(3), queue.friendsOf(1)]).toEqual([2, 0]);
});

test("who was invited is out of the queue, and a friend is worth five places among those who are left", () => {
  const picked = pick([...TWELVE, { id: "x", referredBy: "l" }], ["a", "b", "c", "d", "l"]);
  expect(queueOrder(picked).join("")).toBe("efghijkx");
  expect([queueOf(picked).size(), queueOf(picked).invited()]).toEqual([8, 5]);
  expect(queueOrder([...picked, { id: "y", referredBy: "x" }]).join("")).toBe("efxghijky");
});

test("a friend of somebody who was invited moves nobody", () => {
  const picked = pick(TWELVE, ["a"]);
  expect(queueOrder([...picked, { id: "x", referredBy: "a" }]).join("")).toBe("bcdefghijklx");
});

/** Any list, and some of its members. */
const anyList = fc.tuple(fc.array(fc.nat(), { maxLength: 60 }), fc.nat(60)).map(([picks, count]) => ({
  members: picks.map((pick, index) => ({
    id: String(index),
    referredBy: index > 0 && pick % 3 > 0 ? String(pick % index) : undefined,
  })),
  count,
}));

test("whatever the referrals: everybody has one place, and every friend is worth five or the top", () => {
  fc.assert(
    fc.property(anyList, ({ members }) => {
      members.forEach(({ referredBy }, index) => {
        const [before, after] = [
          queueOrder(members.slice(0, index)),
          queueOrder(members.slice(0, index + 1)),
        ];
        expect(new Set(after).size).toBe(index + 1);
        if (referredBy === undefined) return;
        expect(placeOf(referredBy, after)).toBe(Math.max(1, placeOf(referredBy, before) - 5));
      });
    }),
  );
});

test("whatever the referrals: inviting the first N moves all others up by N, and five places stay five", () => {
  fc.assert(
    fc.property(anyList, fc.nat(), ({ members, count }, next) => {
      const order = queueOrder(members);
      const invited = pick(members, order.slice(0, count));
      const left = order.slice(count);
      expect(queueOrder(invited)).toEqual(left);
      const referredBy = left[next % Math.max(1, left.length)];
      if (referredBy === undefined) return;
      const after = queueOrder([...invited, { id: "friend", referredBy }]);
      expect(placeOf(referredBy, after)).toBe(Math.max(1, placeOf(referredBy, left) - 5));
      expect(after.filter((id) => id !== referredBy && id !== "friend")).toEqual(
        left.filter((id) => id !== referredBy),
      );
    }),
  );
});
