import { expect, test } from "vitest";
import { checkClock, checkDisk, diskLevel } from "./machine.server.ts";
import { within } from "./within.server.ts";

test.each([
  [50e9, 0.5, "ok"],
  [30e9, 0.03, "ok"],
  [5e9, 0.08, "warn"],
  [0.9e9, 0.9, "warn"],
  [2e9, 0.02, "fail"],
  [0.2e9, 0.9, "fail"],
])("a disk with %i bytes free, %d of all, is %s", (free, share, level) => {
  expect(diskLevel(free, share)).toBe(level);
});

test("a folder that does not exist yet counts as the one it will be in, and one disk is one line", async () => {
  const found = await checkDisk(["/", "/no/such/folder"]);
  expect(found).toMatchObject([{ says: expect.stringMatching(/GB free \(\d+%\)/) }]);
});

test("a clock that is wrong is named, and by how much", () => {
  expect(checkClock({ "the database": 0.4, Stripe: -1 })).toMatchObject([
    { level: "ok", says: "agrees with the database and Stripe" },
  ]);
  expect(checkClock({ "the database": null, Stripe: 12.34 })).toMatchObject([
    { level: "warn", says: "Stripe is 12.3 seconds ahead of this machine" },
  ]);
  expect(checkClock({ "the database": -400 })).toMatchObject([{ level: "fail" }]);
});

test("a check that hangs or breaks is a finding, and no value of it is repeated", async () => {
  expect(await within("mail", () => new Promise(() => {}), 10)).toMatchObject([
    { check: "mail", level: "fail", says: "no answer within 0.01 seconds" },
  ]);
  const broken = async () => {
    throw new Error("ada@example.com was not taken");
  };
  expect(await within("mail", broken)).toMatchObject([
    { level: "fail", says: "could not be checked: Error: (address) was not taken" },
  ]);
});
