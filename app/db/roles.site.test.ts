import { Client } from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createDatabase, onCluster, openDatabase } from "../../test/database.ts";
import { setupServer } from "../../test/server.fixture.ts";
import { createPerson } from "../../test/users.ts";
import { COMMAND_LINE, recordChange } from "../audit/record-change.server.ts";
import { applyMigrations } from "./migrate.server.ts";
import { RoleError } from "./roles.server.ts";

const server = setupServer();
let database: Awaited<ReturnType<typeof openDatabase>>;

beforeAll(async () => {
  database = await openDatabase();
  await recordChange(database.db, COMMAND_LINE, {
    action: "promo_code.paused",
    subject: "promo_code:SPRING",
  });
});

afterAll(() => database.close());

/** Statements that change the log, or give a role the right to. */
const CHANGES = [
  "UPDATE audit_log SET actor = 'another'",
  "DELETE FROM audit_log",
  "TRUNCATE audit_log",
  "INSERT INTO audit_log (id, actor, action, subject) VALUES (1, 'a', 'b.c', 'd') ON CONFLICT (id) DO UPDATE SET actor = 'a'",
  "MERGE INTO audit_log AS l USING (VALUES (1)) AS v (id) ON l.id = v.id WHEN MATCHED THEN DELETE",
];
const SCHEMA_CHANGES = [
  "ALTER TABLE audit_log ADD COLUMN more text",
  "ALTER TABLE audit_log RENAME TO audit_log_away",
  "ALTER TABLE audit_log DISABLE TRIGGER audit_log_is_append_only",
  "ALTER TABLE audit_log DISABLE TRIGGER ALL",
  "DROP TRIGGER audit_log_is_append_only ON audit_log",
  "CREATE OR REPLACE FUNCTION refuse_change_of_audit_log() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NULL; END'",
  "DROP FUNCTION refuse_change_of_audit_log() CASCADE",
  "CREATE RULE away AS ON INSERT TO audit_log DO INSTEAD NOTHING",
  "CREATE TRIGGER away BEFORE INSERT ON audit_log FOR EACH ROW EXECUTE FUNCTION refuse_change_of_audit_log()",
  "DROP TABLE audit_log",
  "DROP SCHEMA public CASCADE",
  "SET ROLE postgres",
  "SET SESSION AUTHORIZATION postgres",
  "SET session_replication_role = replica",
  "ALTER ROLE site SUPERUSER",
  "CREATE ROLE helper SUPERUSER",
  "COPY audit_log FROM PROGRAM 'true'",
  "ALTER TABLE waitlist ADD COLUMN more text",
  "TRUNCATE waitlist",
  "CREATE TABLE own (id int)",
  "DELETE FROM drizzle.__drizzle_migrations",
];

test.each([...CHANGES, ...SCHEMA_CHANGES])("the site may not: %s", async (statement) => {
  await expect(asSite(database.url, statement)).rejects.toThrow(
    /permission denied|must be owner|must be superuser/,
  );
  expect(
    (await database.pool.query("SELECT id::int, actor FROM audit_log ORDER BY id LIMIT 1")).rows,
  ).toEqual([{ id: expect.any(Number), actor: COMMAND_LINE.name }]);
});

test("when and by whom an entry was written is not for the site to say", async () => {
  const { id, email } = await createPerson(database.pool);
  const { rows: sessions } = await database.pool.query("SELECT id FROM session WHERE user_id = $1", [id]);
  const claims = [
    "",
    `SET audit.session = 'none'`,
    `SET audit.session = '${email}'`,
    `CREATE TEMP TABLE session (id, user_id, expires_at, needs_second_factor) AS VALUES ('x', '${id}', now() + interval '1 day', false); SET audit.session = 'x'`,
    `SET audit.session = '${sessions[0].id}'`,
  ];
  const entries = [];
  for (const claim of claims) {
    await asSite(
      database.url,
      `${claim}; INSERT INTO audit_log (id, at, actor, action, subject) VALUES (-7, '2020-01-01', 'mallory@example.com', 'a.b', 'c:d')`,
    );
    const { rows } = await database.pool.query(
      "SELECT actor, id > 0 AND at BETWEEN now() - interval '1 minute' AND now() AS is_now FROM audit_log ORDER BY id DESC LIMIT 1",
    );
    entries.push(rows[0]);
  }
  const unproven = { actor: "site, for mallory@example.com", is_now: true };
  expect(entries).toEqual([...Array(4).fill(unproven), { actor: email, is_now: true }]);
  // Nor for the owner of the tables, who the site may be.
  await database.pool.query(
    "INSERT INTO audit_log (at, actor, action, subject) VALUES ('2020-01-01', 'mallory@example.com', 'a.b', 'c:d')",
  );
  const { rows } = await database.pool.query(
    "SELECT actor FROM audit_log WHERE at < now() - interval '1 day' OR actor LIKE 'mallory%'",
  );
  expect(rows).toEqual([]);
});

test("nor can it give itself what it has not", async () => {
  // PostgreSQL warns only, so what counts is what it may do afterwards.
  await asSite(database.url, "GRANT ALL ON audit_log TO site").catch(() => {});
  await asSite(database.url, "GRANT postgres TO site").catch(() => {});
  const { rows } = await database.pool.query(
    `SELECT has_table_privilege('site', 'audit_log', 'UPDATE, DELETE, TRUNCATE, TRIGGER, REFERENCES') AS may,
       pg_has_role('site', 'postgres', 'MEMBER') AS is_owner`,
  );
  expect(rows).toEqual([{ may: false, is_owner: false }]);
});

test.each(CHANGES)("a trigger keeps even the owner of the tables from: %s", async (statement) => {
  await expect(database.pool.query(statement)).rejects.toThrow("the audit log is only ever added to");
});

test("every connection of a server's, and of what it serves with, is the site's or its sandboxes'", async () => {
  await fetch(`${server.origin}/dashboard`);
  const { rows } = await server.pool.query(
    `SELECT usename, bool_or(query LIKE '%sandbox_%') AS is_for_sandbox FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'
     GROUP BY usename`,
  );
  expect(rows.map(({ usename }) => usename)).toContain("site");
  expect(rows.filter((row) => row.usename !== "site" && !row.is_for_sandbox)).toEqual([]);
});

test("a database from before the role is mended by the next start, and rights added since are taken away", async () => {
  const { url, drop } = await createDatabase();
  await applyMigrations(url);
  const siteUrl = Object.assign(new URL(database.url), { pathname: new URL(url).pathname }).href;
  await expect(asSite(siteUrl, "SELECT FROM waitlist")).rejects.toThrow("permission denied");
  await Promise.all(Array.from({ length: 4 }, () => applyMigrations(url, { siteUrl })));
  await asSite(siteUrl, "SELECT FROM user_subscriptions");
  await asSite(siteUrl, "SELECT FROM drizzle.__drizzle_migrations");

  // What a later version's migration makes works for processes of this one before that version has started.
  await asOwner(url, "CREATE TABLE later (id serial); GRANT UPDATE ON audit_log TO site");
  await asSite(siteUrl, "INSERT INTO later DEFAULT VALUES");
  await applyMigrations(url, { siteUrl });
  await expect(asSite(siteUrl, "UPDATE audit_log SET actor = ''")).rejects.toThrow("permission denied");
  await drop();
});

test("a role that could change the log all the same is refused, in words", async () => {
  const { url, drop } = await createDatabase();
  const as = (username: string) => Object.assign(new URL(url), { username, password: "p$$'%20" }).href;
  await applyMigrations(url, { siteUrl: as("made%20here") });
  await asSite(as("made%20here"), "SELECT FROM waitlist");
  await onCluster('GRANT postgres TO "made here"');
  await expect(applyMigrations(url, { siteUrl: as("made%20here") })).rejects.toThrow(RoleError);
  await asOwner(url, 'DROP OWNED BY "made here"');
  await onCluster('DROP ROLE "made here"');
  await drop();
});

const asSite = (url: string, statement: string) => run(url, statement);
const asOwner = (url: string, statement: string) => run(url, statement);

async function run(connectionString: string, statement: string): Promise<void> {
  const client = new Client({ connectionString });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}
