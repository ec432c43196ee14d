import { expect, test } from "vitest";
import { onCluster } from "../database.ts";
import { eventually, postForm } from "../http.ts";
import { setupServer } from "../server.fixture.ts";

const server = setupServer();

test("connections cut in the middle of sign-ups end those sign-ups and not the process", async () => {
  const { rows } = await server.pool.query("SELECT current_database() AS name");
  const statuses: number[] = [];
  const signUps = Array.from({ length: 40 }, async (_, number) => {
    const response = await postForm(server, "/register", {
      name: "Ada",
      email: `${number}@example.com`,
      password: "correct horse battery",
    });
    statuses.push(response.status);
  });
  await eventually(async () => {
    await onCluster(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = '${rows[0].name}' AND state = 'idle in transaction'`,
    );
    return statuses.includes(503);
  }, "a sign-up is cut");

  await Promise.all(signUps);
  expect(statuses.filter((status) => status !== 503 && status !== 303)).toEqual([]);
  expect(server.child.exitCode).toBeNull();
  expect((await fetch(`${server.origin}/readyz`)).status).toBe(200);
  const users = await server.pool.query(`SELECT count(*)::int AS n FROM "user"`);
  const accounts = await server.pool.query("SELECT count(*)::int AS n FROM account");
  expect(users.rows[0].n).toBe(accounts.rows[0].n);
});
