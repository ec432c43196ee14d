import { expect, test } from "vitest";
import { sharedDatabase } from "../../../test/database.fixture.ts";
import { deleteInBatches } from "../../db/delete-batches.server.ts";
import { EXPIRED_FLOWS } from "./flow.server.ts";

const database = sharedDatabase();

test("flows are deleted an hour after they have expired", async () => {
  await database.pool.query(
    `INSERT INTO provider_flows
       (state_hash, provider, intent, browser_hash, nonce, code_verifier, return_to, expires_at)
     SELECT minutes, 'google', 'sign_in', '', '', '', '/', now() - make_interval(mins => minutes)
     FROM unnest(ARRAY[-5, 59, 61]) AS minutes`,
  );
  await deleteInBatches(database.db, EXPIRED_FLOWS);
  const { rows } = await database.pool.query("SELECT state_hash FROM provider_flows ORDER BY 1");
  expect(rows).toEqual([{ state_hash: "-5" }, { state_hash: "59" }]);
});
