import { expect, test } from "vitest";
import { loadFeatureStates } from "../../app/entitlements/features.server.ts";
import { setupOps } from "../../test/ops.ts";
import { createSignedInUser } from "../../test/users.ts";

const { database, ops: features } = setupOps(["features"]);

test("a feature is opened, given a day, announced and closed again, in the name of the command line", async () => {
  const closed = "csv_processing (CSV Processing) is being built\nbanking_api (Banking API) is being built\n";
  expect(await features("list")).toEqual({ code: 0, printed: closed });

  const opened = await features("open", "csv_processing");
  expect(opened.printed).toMatch(/^csv_processing \(CSV Processing\) is open since \d{4}-.*\n.*\/privacy/s);
  expect((await loadFeatureStates(database.db)).csv_processing.isOpen).toBe(true);
  const { rows: jobs } = await database.pool.query(
    "SELECT payload FROM outbox WHERE kind = 'announce_feature'",
  );
  expect(jobs).toEqual([{ payload: { feature: "csv_processing", actor: "npm run ops" } }]);

  const later = await features("open", "banking_api", "--at", "2999-03-01");
  expect(later.printed).toContain("banking_api (Banking API) opens at 2999-03-01T00:00:00Z");
  expect(JSON.parse((await features("list", "--json")).printed).banking_api).toEqual({
    isOpen: false,
    openedAt: "2999-03-01T00:00:00.000Z",
  });
  const earlier = await features("open", "banking_api", "--at", "2026-01-02T03:04:05Z");
  expect(earlier.printed).toMatch(
    /^banking_api \(Banking API\) is open since 2026-01-02T03:04:05Z\nEverybody/,
  );

  for (const key of ["csv_processing", "banking_api"]) await features("close", key);
  expect((await features("list")).printed).toBe(closed);
  const { rows } = await database.pool.query("SELECT actor, action, subject FROM audit_log ORDER BY id");
  expect(rows.map((row) => [row.actor, row.action, row.subject])).toEqual([
    ["npm run ops", "feature.opened", "feature:csv_processing"],
    ["npm run ops", "feature.scheduled", "feature:banking_api"],
    ["npm run ops", "feature.opened", "feature:banking_api"],
    ["npm run ops", "feature.closed", "feature:csv_processing"],
    ["npm run ops", "feature.closed", "feature:banking_api"],
  ]);
});

test("whom it moves is said before it is done", async () => {
  const { id } = await createSignedInUser(database.pool);
  await database.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, created_at, expires_at)
     VALUES ('moving', $1, 'basic', 'admin', now() - interval '10 days', now() + interval '20 days')`,
    [id],
  );
  const refused = await features("open", "csv_processing");
  expect(refused.printed).toMatch(
    /Nothing was opened yet. It moves 1 grant by 1[01] days:\n {2}.*: grant of CSV Only, 1/,
  );
  expect((await loadFeatureStates(database.db)).csv_processing.isOpen).toBe(false);
  expect((await features("open", "csv_processing", "--yes")).code).toBe(0);
  await features("close", "csv_processing");
});

test.each([
  [[], "features open csv_processing|banking_api"],
  [["list", "all"], "unexpected: all"],
  [["open"], "there is no feature"],
  [["open", "gold"], "there is no feature gold: choose csv_processing or banking_api"],
  [["open", "csv_processing", "--at", "soon"], "--at: give a day"],
  [["open", "csv_processing", "--at", "2027-02-30"], "--at: give a day"],
  [["close", "csv_processing", "--at", "2027-01-01"], "Usage:"],
  [["open", "csv_processing", "banking_api"], "unexpected: banking_api"],
  [["open", "csv_processing", "--now"], "Usage:"],
])("%j is refused and says why", async (args, complaint) => {
  expect(await features(...args)).toEqual({ code: 2, printed: expect.stringContaining(complaint) });
});
