import { expect, test } from "vitest";
import { createDatabase } from "../../test/database.ts";
import { eventually, mainOf } from "../../test/http.ts";
import { spawnServer } from "../../test/server.ts";
import { connect } from "../db/client.server.ts";
import { applyMigrations } from "../db/migrate.server.ts";
import { createSecretToken } from "../http/secret-token.server.ts";
import { createReferralCode } from "./join.server.ts";

test("without mail the list is closed and says so; what was not confirmed in time is swept at the start", async () => {
  const database = await createDatabase();
  await applyMigrations(database.url);
  const { pool } = connect(database.url, 1, () => {});
  await pool.query(
    `INSERT INTO waitlist (id, email, token, referral_code, confirm_by)
     VALUES ('1', 'ada@example.com', $1, $2, now() - interval '1 second')`,
    [createSecretToken(), createReferralCode()],
  );
  const { child, port } = await spawnServer({
    DATABASE_URL: database.url,
    NODE_ENV: "production",
    PUBLIC_ORIGIN: "https://own.example",
  });
  const isEmpty = async () => (await pool.query("SELECT FROM waitlist")).rowCount === 0;
  await eventually(isEmpty, "the late address is deleted");

  const url = `http://127.0.0.1:${port}/waitlist`;
  const page = await mainOf(await fetch(url));
  expect(page).toContain("The waitlist is closed right now");
  expect(page).not.toContain("Join Waitlist</button>");
  const sent = await fetch(url, {
    method: "POST",
    redirect: "manual",
    headers: { origin: "https://own.example" },
    body: new URLSearchParams({ email: "ada@example.com" }),
  });
  expect([sent.status, sent.headers.get("location")]).toEqual([303, "/waitlist"]);
  expect(await isEmpty()).toBe(true);

  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exited;
  await pool.end();
  await database.drop();
});
