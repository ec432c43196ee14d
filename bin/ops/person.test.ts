import { expect, test } from "vitest";
import { setupOps } from "../../test/ops.ts";
import { createPerson, type Person } from "../../test/users.ts";

let person: Person;
const { database, ops } = setupOps(["person"], async ({ pool }) => {
  // Users in a database that no server has opened yet would be taken for real ones.
  await pool.query("INSERT INTO database_purpose (purpose) VALUES ('sandbox')");
  person = await createPerson(pool);
});

async function audited() {
  const { rows } = await database.pool.query(
    "SELECT actor, action, reason FROM audit_log WHERE subject = $1 ORDER BY id",
    [`user:${person.id}`],
  );
  return rows;
}

test("a person is found, given a month, shown, and the month is taken back", async () => {
  const found = await ops("find", person.email.slice(0, 12), "--json");
  expect(JSON.parse(found.printed).hits).toMatchObject([{ kind: "Person", title: person.email }]);
  const given = await ops("give", person.email, "--tier", "premium", "--reason", "A test", "--json");
  const { grant } = JSON.parse(given.printed);
  const shown = await ops("show", person.id, "--json");
  expect(JSON.parse(shown.printed)).toMatchObject({
    person: { email: person.email },
    plan: { tier: "premium", source: "admin" },
    holdings: [{ id: grant, state: "in_force", why: "A test" }],
  });
  const inWords = await ops("show", person.email);
  expect(inWords.printed).toContain("has CSV + Banking\n  in_force: CSV + Banking, admin, A test");
  const revoke = () => ops("revoke", person.email, grant, "--reason", "Over");
  expect(await revoke()).toEqual({ code: 0, printed: "Revoked. They no longer have it.\n" });
  expect((await revoke()).code).toBe(1);
  expect(await ops("sign-out", person.email)).toEqual({ code: 0, printed: "Signed out of 1 sessions\n" });
  const none = await ops("remove-second-factor", person.email, "--reason", "Lost", "--json");
  expect([none.code, JSON.parse(none.printed)]).toEqual([1, { outcome: "no_factor" }]);
  expect(JSON.parse((await ops("export", person.email)).printed)).toMatchObject({
    profile: { id: person.id },
    promoCodes: [{ source: "admin", reason: "A test" }],
  });
  expect(await audited()).toEqual([
    { actor: "npm run ops", action: "user.access_given", reason: "A test" },
    { actor: "npm run ops", action: "user.access_revoked", reason: "Over" },
    { actor: "npm run ops", action: "user.signed_out", reason: null },
    { actor: "npm run ops", action: "user.exported", reason: null },
  ]);

  expect((await ops("delete", person.email, "--confirm", "ada@example.com", "--reason", "Asked")).code).toBe(
    2,
  );
  const deleted = await ops("delete", person.id, "--confirm", person.email, "--reason", "Asked");
  expect(deleted).toEqual({ code: 0, printed: "Deleted\n" });
  expect((await ops("show", person.email)).code).toBe(1);
  expect((await audited()).at(-1)).toEqual({
    actor: "npm run ops",
    action: "user.deleted",
    reason: "Asked",
  });
});

test("a person is shown with the other accounts of their mailbox", async () => {
  const [one, other] = [await createPerson(database.pool), await createPerson(database.pool)];
  const spelled = one.email.replace("@", "+again@");
  await database.pool.query(`UPDATE "user" SET email = $2 WHERE id = $1`, [other.id, spelled]);
  expect((await ops("show", one.email)).printed).toContain(`\nsame mailbox: ${spelled} (${other.id})\n`);
});

test.each([
  [[], 2, "person find WORDS"],
  [["find"], 2, "say what to look for"],
  [["show"], 2, "say who"],
  [["show", "nobody@example.com"], 1, "there is no account"],
  [["show", "a@example.com", "b", "c"], 2, "unexpected: c"],
  [["give", "nobody@example.com", "--level", "gold"], 2, "Unknown option"],
  [["become", "nobody@example.com"], 2, "person find WORDS"],
])("%j is refused and says why", async (args, code, complaint) => {
  expect(await ops(...args)).toEqual({ code, printed: expect.stringContaining(complaint) });
});

test("a refund needs a reason, and a plan that was paid for", async () => {
  const another = await createPerson(database.pool);
  const refund = (...args: string[]) => ops("refund", another.email, ...args);
  expect(await refund()).toEqual({ code: 2, printed: expect.stringContaining("--reason: say why") });
  expect(await refund("--reason", "Asked")).toEqual({
    code: 1,
    printed: expect.stringContaining("There is nothing to pay back."),
  });
});

test("what is no plan or has no reason gives nothing", async () => {
  const another = await createPerson(database.pool);
  const refused = await ops("give", another.email, "--tier", "gold", "--until", "soon");
  expect(refused.code).toBe(2);
  for (const complaint of ["--tier: choose a plan", "--until: enter a day", "--reason: say why"])
    expect(refused.printed).toContain(complaint);
  const { rowCount } = await database.pool.query("SELECT FROM grants WHERE user_id = $1", [another.id]);
  expect(rowCount).toBe(0);
});
