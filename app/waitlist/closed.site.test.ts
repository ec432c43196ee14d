import { expect, test } from "vitest";
import { createDatabase } from "../../test/database.ts";
import { eventually, mainOf } from "../../test/http.ts";
import { AUTH_SECRET, spawnServer } from "../../test/server.ts";
import { signTime } from "../contact/fill-time.server.ts";
import { connect } from "../db/client.server.ts";
import { applyMigrations } from "../db/migrate.server.ts";
import { createSecretToken } from "../http/secret-token.server.ts";
import { createReferralCode } from "./join.server.ts";

test("without mail the list is closed and says so, what was not confirmed in time is swept at the start, and a message waits with its mail", async () => {
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
    SUPPORT_EMAIL: "support@own.example",
  });
  const post = (path: string, fields: Record<string, string>) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: "https://own.example" },
      body: new URLSearchParams(fields),
    });
  const isEmpty = async () => (await pool.query("SELECT FROM waitlist")).rowCount === 0;
  await eventually(isEmpty, "the late address is deleted");

  const page = await mainOf(await fetch(`http://127.0.0.1:${port}/waitlist`));
  expect(page).toContain("The waitlist is closed right now");
  expect(page).not.toContain("Join Waitlist</button>");
  const sent = await post("/waitlist", { email: "ada@example.com" });
  expect([sent.status, sent.headers.get("location")]).toEqual([303, "/waitlist"]);
  expect(await isEmpty()).toBe(true);

  const message = { name: "Ada", email: "ada@example.com", topic: "other", message: "Hello" };
  const openedAt = signTime(Date.now() - 60_000, AUTH_SECRET);
  expect((await post("/contact", { ...message, opened_at: openedAt })).status).toBe(303);
  expect((await pool.query("SELECT FROM contact_messages")).rowCount).toBe(1);
  const { rows } = await pool.query("SELECT payload FROM outbox WHERE kind = 'send_mail'");
  expect(rows).toMatchObject([{ payload: { to: "support@own.example", replyTo: "ada@example.com" } }]);

  const exited = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exited;
  await pool.end();
  await database.drop();
});
