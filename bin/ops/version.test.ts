import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { openDatabase } from "../../test/database.ts";
import { commands } from "./version.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8"));
const newest = JSON.parse(readFileSync("app/db/migrations/meta/_journal.json", "utf8")).entries.at(-1).tag;

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase();
  await database.pool.query(
    `INSERT INTO processes (id, role, version, host, started_at, seen_at) VALUES
       ('a', 'web', '0.8.0+9fceb02d0ae5', 'one', '2026-11-22 12:00Z', now() - interval '20 seconds'),
       ('b', 'worker', '0.7.0', 'two', '2026-11-22 12:01Z', now() - interval '1 hour')`,
  );
});
afterAll(() => {
  vi.unstubAllEnvs();
  return database.close();
});

function askOn(url: string) {
  vi.stubEnv("DATABASE_URL", url);
  return commands[""]?.run([]);
}

test("says which version and schema this is, what the database has, and what runs on it", async () => {
  const answer = await askOn(database.ownerUrl);
  expect(answer?.exitCode).toBe(0);
  expect(answer?.text).toMatch(new RegExp(`^version {5}${version.replaceAll(".", "\\.")}\ncommit `));
  expect(answer?.text).toContain(`\nschema      ${newest}\ndatabase    has this schema (PostgreSQL 1`);
  expect(answer?.text).toMatch(
    /\n {2}web {5}0\.8\.0\+9fceb02d0ae5 .* one {2}since 2026-11-22T12:00.* seen 2\d s ago\n/,
  );
  expect(answer?.text).toMatch(/\n {2}worker {2}0\.7\.0 .* silent for 36\d\d s: it was killed/);
});

test("says that the database is older or newer than the code, and from which migration on", async () => {
  const [one] = await change("DELETE FROM drizzle.__drizzle_migrations WHERE created_at > 1 RETURNING *");
  expect(await askOn(database.ownerUrl)).toMatchObject({
    text: expect.stringContaining("is older: it has none of our tables. `npm run migrate`"),
    data: { database: { state: "older", ofCode: newest, ofDatabase: null } },
  });
  await change("INSERT INTO drizzle.__drizzle_migrations (hash, created_at) VALUES ($1, 9e12)", [one.hash]);
  expect((await askOn(database.ownerUrl))?.text).toContain("is newer than this code");
});

test("says the rest when the database cannot be asked", async () => {
  const away = Object.assign(new URL(database.ownerUrl), { pathname: "/not_there" });
  const answer = await askOn(away.href);
  expect(answer).toMatchObject({ exitCode: 1, data: { version: { number: version } } });
  expect(answer?.text).toMatch(/\ndatabase {4}cannot be asked: .* has no database of that name/);
  expect(answer?.text).not.toContain(away.password);
});

async function change(statement: string, values: unknown[] = []) {
  return (await database.pool.query(statement, values)).rows;
}
