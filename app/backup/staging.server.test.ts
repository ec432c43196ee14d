import { expect, test } from "vitest";
import { createDatabase } from "../../test/database.ts";
import { openClient } from "./dump.server.ts";
import { besideUrl, databaseNameOf, exchange } from "./staging.server.ts";

test("while the new database cannot take its name, the one in use keeps its own", async () => {
  const [used, restored] = [await createDatabase(), await createDatabase()];
  const [name, target] = [databaseNameOf(restored.url), databaseNameOf(used.url)];
  const client = await openClient(besideUrl(used.url));
  try {
    const names = async () => {
      const { rows } = await client.query(
        "SELECT datname FROM pg_database WHERE starts_with(datname, $1) OR datname = $2 ORDER BY datname = $1 DESC",
        [target, name],
      );
      return rows.map(({ datname }) => datname);
    };
    await expect(exchange(client, `${name}_gone`, target)).rejects.toThrow("does not exist");
    expect(await names()).toEqual([target, name]);
    const former = await exchange(client, name, target);
    expect(former).toMatch(`${target}_replaced_`);
    expect(await names()).toEqual([target, former]);
    await client.query(`DROP DATABASE ${former}`);
  } finally {
    await client.end();
    await used.drop();
  }
});
