import { onCluster } from "./database.ts";
import { eventually } from "./http.ts";
import type { TestServer } from "./server.ts";

/** Cuts a server off from its database: no connection is left and none is let in. @returns what lets it in again */
export async function cutDatabase(server: Pick<TestServer, "pool" | "port">): Promise<() => Promise<void>> {
  const { rows } = await server.pool.query("SELECT current_database() AS name");
  const name: string = rows[0].name;
  const isReady = async () => (await fetch(`http://127.0.0.1:${server.port}/readyz`)).status === 200;
  await onCluster(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS false`);
  await onCluster(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`);
  await eventually(async () => !(await isReady()), "the server notices");
  return async () => {
    await onCluster(`ALTER DATABASE ${name} WITH ALLOW_CONNECTIONS true`);
    await eventually(isReady, "the server recovers");
  };
}

/**
 * Makes certain statements on a table fail, as a full disk or a lost connection would at that moment.
 *
 * @param statement as in a trigger: `UPDATE OF outcome ON provider_flows`
 * @param condition on the row: `NEW.outcome IS NOT NULL`
 * @returns a function that ends the failures
 */
export async function breakStatements(
  { pool }: Pick<TestServer, "pool">,
  statement: string,
  condition = "true",
): Promise<() => Promise<void>> {
  const table = statement.split(" ").at(-1);
  await pool.query(`
    CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'broken by a test'; END $$;
    CREATE TRIGGER broken BEFORE ${statement} FOR EACH ROW WHEN (${condition}) EXECUTE FUNCTION broken()`);
  return async () => {
    await pool.query(`DROP TRIGGER broken ON ${table}; DROP FUNCTION broken()`);
  };
}
