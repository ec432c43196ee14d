import { expect, test } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import { createAuth } from "../auth/auth.server.ts";
import { ensureKey } from "../auth/keys.server.ts";
import { readConfig } from "../config/config.server.ts";
import { connect } from "../db/client.server.ts";
import { createLog } from "../log/log.server.ts";

test("many processes that start at once make one key, each with no more than one connection", async () => {
  const database = await openDatabase();
  const config = readConfig({ AUTH_SECRET });
  const log = createLog("silent");
  const processes = Array.from({ length: 4 }, () => connect(database.url, 1, () => {}, 5));
  await Promise.all(processes.map(({ db }) => ensureKey(db, (tx) => createAuth(config, tx, log))));
  expect((await database.pool.query("SELECT FROM jwks")).rowCount).toBe(1);
  await Promise.all(processes.map(({ pool }) => pool.end()));
  await database.close();
});
