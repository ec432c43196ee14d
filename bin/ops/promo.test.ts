import { expect, test } from "vitest";
import { setupOps } from "../../test/ops.ts";

const { database, ops: promo } = setupOps(["promo"]);

const log = async () =>
  (await database.pool.query("SELECT actor, action, subject, before, after FROM audit_log ORDER BY id")).rows;

test("a code is created, shown, paused, resumed and edited, and the log says so", async () => {
  const terms = ["--tier", "premium", "--months", "3", "--starts", "2026-01-01", "--expires", "2027-01-31"];
  expect(await promo("create", "spring", ...terms, "--confirmed-only", "--once-per-mailbox")).toEqual({
    code: 0,
    printed: "created SPRING\n",
  });
  expect(await promo("create", "spring")).toMatchObject({
    code: 1,
    printed: expect.stringContaining("exists already"),
  });
  const shown = JSON.parse((await promo("show", "Spring", "--json")).printed);
  expect(shown).toMatchObject({
    code: "SPRING",
    tier: "premium",
    durationMonths: 3,
    startsAt: "2026-01-01T00:00:00.000Z",
    expiresAt: "2027-02-01T00:00:00.000Z",
    confirmedOnly: true,
    oncePerMailbox: true,
    state: "active",
  });
  expect((await promo("show", "spring")).printed).toContain("once per mailbox");
  expect((await promo("pause", "spring")).printed).toBe("paused SPRING\n");
  expect((await promo("pause", "spring")).printed).toBe("SPRING was paused already\n");
  expect((await promo("list")).printed).toContain("SPRING  paused  premium, 3 months  redeemed 0");
  expect((await promo("resume", "spring")).printed).toBe("resumed SPRING\n");
  const edited = await promo(
    "edit",
    "spring",
    "--max-uses",
    "5",
    "--expires",
    "none",
    "--anyone",
    "--each-address",
    "--json",
  );
  expect(JSON.parse(edited.printed)).toMatchObject({
    tier: "premium",
    durationMonths: 3,
    startsAt: "2026-01-01T00:00:00.000Z",
    expiresAt: null,
    maxUses: 5,
    confirmedOnly: false,
    oncePerMailbox: false,
  });
  expect(await log()).toMatchObject([
    { action: "promo_code.created", subject: "promo_code:SPRING", after: { tier: "premium" } },
    { action: "promo_code.paused", before: { active: true }, after: { active: false } },
    { action: "promo_code.resumed" },
    {
      actor: "npm run ops",
      action: "promo_code.edited",
      before: {
        maxUses: null,
        expiresAt: "2027-02-01T00:00:00.000Z",
        confirmedOnly: true,
        oncePerMailbox: true,
      },
      after: { maxUses: 5, expiresAt: null, confirmedOnly: false, oncePerMailbox: false },
    },
  ]);
});

test("the defaults are the spec's: the user chooses the tier, one month, no end", async () => {
  await promo("create", "PLAIN");
  await promo("create", "EVER", "--forever");
  const { rows } = await database.pool.query(
    "SELECT duration_type, duration_months, tier, max_uses, expires_at FROM promo_codes WHERE code IN ('PLAIN', 'EVER') ORDER BY code DESC",
  );
  const rest = { tier: null, max_uses: null, expires_at: null };
  expect(rows).toEqual([
    { duration_type: "months", duration_months: 1, ...rest },
    { duration_type: "forever", duration_months: null, ...rest },
  ]);
});

test("a batch is made and exported; the log names none of its codes", async () => {
  const made = JSON.parse(
    (await promo("batch", "Leaflets", "--size", "1200", "--max-uses", "1", "--json")).printed,
  );
  expect(made).toMatchObject({ name: "Leaflets", size: 1200, made: 1200, redeemed: 0 });
  const { printed } = await promo("export", made.id);
  const [header, ...lines] = printed.trimEnd().split("\r\n");
  expect(header).toMatch(/^\ufeff"code","link","state",/);
  const codes = lines.map((line) => line.split('"')[1] ?? "");
  expect(new Set(codes).size).toBe(1200);
  for (const code of codes)
    expect(code).toMatch(/^([ACDEFGHJKMNPQRTWXY34679]{4}-){4}[ACDEFGHJKMNPQRTWXY34679]{4}$/);
  await promo("pause", codes[0] ?? "");
  const text = JSON.stringify(await log());
  expect(text).toContain(`promo_batch:${made.id}`);
  expect(codes.filter((code) => text.includes(code))).toEqual([]);
});

test.each([
  [[], 2, "Usage:"],
  [["create"], 2, "CODE is missing"],
  [["create", "two words"], 2, "CODE: use letters"],
  [["create", "A", "B"], 2, "unexpected: B"],
  [["create", "A", "--months", "0"], 2, "--months:"],
  [["create", "A", "--months", "many"], 2, "--months:"],
  [
    ["create", "A", "--months", "3", "--forever"],
    2,
    "--forever: choose either a number of months or forever",
  ],
  [["create", "A", "--max-uses", "-1"], 2, "max-uses"],
  [["create", "A", "--expires", "2027-02-30"], 2, "--expires: give a day"],
  [["create", "A", "--colour", "red"], 2, "Usage:"],
  [["create", "A", "--tier", "gold"], 2, "--tier: choose basic or premium"],
  [["create", "A", "--size", "3"], 2, "--size"],
  [["create", "A", "--starts", "2027-02-01", "--expires", "2027-01-01"], 2, "--expires: give an end after"],
  [["batch", "Many", "--size", "10001"], 2, "--size: give a number up to 10,000"],
  [["batch", "Many"], 2, "--size: say how many codes"],
  [["show", "NONE"], 1, "there is no such code"],
  [["pause", "NONE"], 1, "there is no such code"],
  [["edit", "NONE", "--max-uses", "1"], 1, "there is no such code"],
  [["edit", "A", "--each-address", "--once-per-mailbox"], 2, "choose --each-address or --once-per-mailbox"],
  [["export", "none"], 1, "there is no such batch"],
])("%j ends with %i and says why", async (args, exitCode, complaint) => {
  expect(await promo(...args)).toEqual({ code: exitCode, printed: expect.stringContaining(complaint) });
});

test("a code is the one that is meant, however it is typed", async () => {
  expect((await promo("create", "pasted\u201325")).printed).toContain("PASTED-25");
  expect(
    JSON.parse((await promo("show", "\u202aPASTED\u2212\uff12\u0665\u202c", "--json")).printed),
  ).toMatchObject({
    code: "PASTED-25",
  });
  expect((await promo("pause", "PASTED\u00ad-25\u200b")).code).toBe(0);
});
