import { expect, test } from "vitest";
import { setupOps } from "../../test/ops.ts";

const { database, ops } = setupOps([]);

test("features are listed, opened with their announcement, and closed, in the name of the command line", async () => {
  expect(JSON.parse((await ops("features", "list", "--json")).printed)).toMatchObject({
    csv_processing: { isOpen: false, openedAt: null },
  });
  expect(JSON.parse((await ops("features", "open", "csv_processing", "--json")).printed)).toMatchObject({
    feature: "csv_processing",
    isOpen: true,
    announces: true,
  });
  const { rows } = await database.pool.query("SELECT payload FROM outbox WHERE kind = 'announce_feature'");
  expect(rows).toEqual([{ payload: { feature: "csv_processing", actor: "npm run ops" } }]);
  expect(await ops("features", "close", "csv_processing")).toEqual({
    code: 0,
    printed: "csv_processing (CSV Processing) is being built\n",
  });
  const log = await database.pool.query("SELECT actor, action FROM audit_log ORDER BY id");
  expect(log.rows).toEqual([
    { actor: "npm run ops", action: "feature.opened" },
    { actor: "npm run ops", action: "feature.closed" },
  ]);
});

test("the catalogue is listed; what is not understood or cannot be done says so by its exit code", async () => {
  expect(JSON.parse((await ops("catalogue", "list", "--json")).printed)).toMatchObject({
    plans: [],
    retired: [],
  });
  expect(await ops("features", "open", "gold")).toMatchObject({
    code: 2,
    printed: expect.stringContaining("no feature gold"),
  });
  expect(await ops("catalogue", "list", "all")).toMatchObject({
    code: 2,
    printed: expect.stringContaining("Usage:"),
  });
  // No server runs whose sandbox could answer.
  expect(await ops("catalogue", "sync")).toMatchObject({
    code: 1,
    printed: expect.stringContaining("Stripe:"),
  });
});
