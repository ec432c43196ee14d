import { expect, test } from "vitest";
import { createMembers } from "../../app/waitlist/members.fixture.ts";
import { setupOps } from "../../test/ops.ts";

const { database, ops } = setupOps(["waitlist"]);

test("who is next is listed and invited, once for each id, and progress is told", async () => {
  expect(await ops("invite", "1", "--tier", "basic")).toEqual({
    code: 1,
    printed: "Nobody is waiting, so nobody was invited.\n",
  });
  expect((await ops("progress")).printed).toBe("nobody has been invited yet\n");
  const members = await createMembers(database.pool, 3, true);
  await createMembers(database.pool, 2, false);
  expect((await ops("counts")).printed).toBe("3 waiting\n0 invited\n0 used their code\n2 not confirmed\n");
  expect((await ops("list", "--count", "2")).printed).toBe(
    `1. ${members[0]?.email}\n2. ${members[1]?.email}\n`,
  );
  const invite = ["invite", "2", "--tier", "premium", "--until", "2999-01-31", "--id", "december"];
  expect((await ops(...invite)).printed).toContain("No feature is open yet, so nobody was invited.");
  invite.push("--confirm", "nothing is open");
  expect((await ops(...invite, "--preview")).printed).toContain(`2. ${members[1]?.email}\n`);
  expect((await ops("counts", "--json")).printed).toBe(
    `${JSON.stringify({ waiting: 3, invited: 0, used: { count: 0, isMore: false }, unconfirmed: { count: 2, isMore: false } })}\n`,
  );
  for (const answer of [await ops(...invite), await ops(...invite)])
    expect(answer).toEqual({ code: 0, printed: expect.stringContaining("invited 2 (december)") });
  expect((await ops("counts")).printed).toBe("1 waiting\n2 invited\n0 used their code\n2 not confirmed\n");
  const { rows } = await database.pool.query("SELECT actor, action FROM audit_log");
  expect(rows).toEqual([{ actor: "npm run ops", action: "waitlist.invited" }]);
  const progress = await ops("progress", "december");
  expect(progress.printed).toContain("2 people, a free month of CSV + Banking, until January 31, 2999");
  expect(progress.printed).toContain("0 have their code, 0 have used it, 2 are still to be written to");
});

test.each([
  [["invite", "0", "--tier", "basic"], 2, "N: enter a number from 1"],
  [["invite", "5"], 2, "--tier: choose basic or premium"],
  [["invite", "5", "--tier", "basic", "--until", "2020-01-01"], 2, "--until: enter a day that is not over"],
  [["invite", "5", "6", "--tier", "basic"], 2, "unexpected: 6"],
  [["list", "--count", "x"], 2, "--count: enter a number"],
  [["counts", "--all"], 2, "Unknown option"],
  [["progress", "nothing"], 1, "there is no invitation nothing"],
])("%j ends with %i and says why", async (args, code, complaint) => {
  expect(await ops(...args)).toEqual({ code, printed: expect.stringContaining(complaint) });
});
