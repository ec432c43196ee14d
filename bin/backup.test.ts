import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { deleteAccount } from "../app/account/delete-account.server.ts";
import { countRows } from "../app/backup/dump.server.ts";
import { connectPayments } from "../app/billing/stripe.server.ts";
import { readConfig } from "../app/config/config.server.ts";
import { connect, type DatabaseConnection, endPool } from "../app/db/client.server.ts";
import { openEmbeddedPostgres } from "../app/db/embedded.server.ts";
import { applyMigrations } from "../app/db/migrate.server.ts";
import { createLog } from "../app/log/log.server.ts";
import { leaveWaitlist } from "../app/waitlist/leave.server.ts";
import { createMembers } from "../app/waitlist/members.fixture.ts";
import { runCommand } from "../test/command.ts";
import { createSignedInUsers } from "../test/users.ts";

/** Everything a machine needs is in the packages, so this is about the embedded database: `npm run soak -- backup` has the other. */
const dataDir = mkdtempSync(join(tmpdir(), "backup-"));
// The server runs as another user when we are root, who must be able to get in.
chmodSync(dataDir, 0o755);
const settings = { DATA_DIR: dataDir, BACKUP_KEY: "a key of at least thirty-two characters" };
const config = readConfig({ ...settings, AUTH_SECRET: "x".repeat(32) });
const folder = join(dataDir, "backups");
const name = basename(dataDir);

const run = (command: "backup" | "restore", args: string[], env: Record<string, string> = {}) =>
  runCommand(`bin/${command}.ts`, args, { ...settings, ...env });

/** Works with the embedded database, which is started for it and stopped afterwards. */
async function withSite<Done>(
  work: (site: DatabaseConnection, owner: DatabaseConnection) => Promise<Done>,
  folder = dataDir,
) {
  const postgres = await openEmbeddedPostgres(folder, () => {});
  await applyMigrations(postgres.url, { siteUrl: postgres.siteUrl });
  const [site, owner] = [connect(postgres.siteUrl, 5, () => {}), connect(postgres.url, 5, () => {})];
  try {
    return await work(site, owner);
  } finally {
    await Promise.all([site, owner].map(({ pool }) => endPool(pool)));
    await postgres.release();
  }
}

let people: { id: string }[];
let members: { id: string; email: string }[];

beforeAll(() =>
  withSite(async (_, { pool }) => {
    await pool.query("INSERT INTO database_purpose (purpose) VALUES ('sandbox')");
    people = await createSignedInUsers(pool, 2);
    members = await createMembers(pool, 2, true);
  }),
);
afterAll(() => rmSync(dataDir, { recursive: true }));

test("who asked to be deleted after a backup is deleted again when it is restored, and nobody else", async () => {
  await withSite(async ({ db }, { pool }) => {
    const made = await run("backup", []);
    expect(made).toEqual({
      code: 0,
      printed: expect.stringMatching(/, encrypted\nchecked in [\d.]+ s: \d+ rows/),
    });
    expect(made.printed).toContain("and all invariants hold");
    const { rows } = await pool.query(
      "SELECT file, failure, is_encrypted, checked_at >= finished_at AS is_checked FROM backups",
    );
    const [file] = readdirSync(folder).filter((name) => /^backup-.*z\.enc$/.test(name));
    expect(rows).toEqual([{ file, failure: null, is_encrypted: true, is_checked: true }]);

    // One that fails lets no older ones stay longer than people were told.
    const outlived = join(folder, "backup-20260101T000000Z.dump.enc");
    writeFileSync(outlived, "");
    expect(await run("backup", ["--dump"], { PG_BIN: dataDir })).toMatchObject({ code: 1 });
    expect([outlived, join(folder, file ?? "")].map((path) => existsSync(path))).toEqual([false, true]);

    const log = createLog("silent");
    const payments = connectPayments(config.payments, "http://127.0.0.1:9");
    const app = { config, db, log, payments };
    expect(await deleteAccount(app, people[0]?.id ?? "", null)).toBe("deleted");
    await leaveWaitlist(db, [members[0]?.id ?? ""]);
    await createSignedInUsers(pool, 1);
    // Planted by an attacker without the key, to have another person deleted.
    writeFileSync(
      join(folder, "erasures.json"),
      JSON.stringify([{ subject: "user", id: people[1]?.id, erasedAt: new Date() }]),
    );
    expect((await run("backup", ["erasures"])).printed).toContain("2 deletions to be kept to");

    expect(await run("restore", ["latest", "--replace", name])).toEqual({
      code: 1,
      printed: "the database is in use: stop the site, and everything else that is connected to it, first\n",
    });
  });
  expect(await run("restore", ["latest"])).toEqual({
    code: 1,
    printed: `the database is not empty. To replace it: --replace ${name}\n`,
  });

  const restored = await run("restore", ["latest", "--replace", name]);
  expect(restored).toEqual({
    code: 0,
    printed: expect.stringContaining("deleted again: 1 accounts and 1 places"),
  });
  await withSite(async (_, { pool }) => {
    const { rows } = await pool.query(
      `SELECT ARRAY(SELECT id FROM "user") AS people, ARRAY(SELECT email FROM waitlist) AS members,
         (SELECT count(*)::int FROM session) AS sessions, (SELECT count(*)::int FROM outbox) AS jobs,
         (SELECT count(*)::int FROM erasures) AS erasures, has_table_privilege('site', 'audit_log', 'UPDATE') AS may_change_log`,
    );
    expect(rows).toEqual([
      {
        people: [people[1]?.id],
        members: [members[1]?.email],
        sessions: 0,
        jobs: 0,
        erasures: 2,
        may_change_log: false,
      },
    ]);
  });
  // As after the database's own means have put it back.
  await withSite(async (_, { pool }) => {
    await createSignedInUsers(pool, 1);
    expect(await run("restore", ["erasures"])).toEqual({
      code: 0,
      printed: expect.stringMatching(/^2 deletions in .*, last written 20\S+Z\ndeleted again: 0 accounts/),
    });
    expect((await pool.query("SELECT FROM session")).rowCount).toBe(0);
  });
  const kept = /kept as (\S+):/.exec(restored.printed)?.[1] ?? "";
  expect(existsSync(kept), restored.printed).toBe(true);
});

test("with a key no file is unpacked that was not encrypted with it under its name, however it is asked for", async () => {
  const [own = ""] = readdirSync(folder).filter(
    (name) => /^backup-.*\.enc$/.test(name) && !name.includes("json"),
  );
  const made = await withSite(() =>
    run("backup", ["--no-check"], { BACKUP_KEY: "", BACKUP_DIR: join(dataDir, "plain") }),
  );
  expect(made.code, made.printed).toBe(0);
  const [plain = ""] = readdirSync(join(dataDir, "plain")).filter((name) => name.endsWith(".tar.gz"));
  const planted = [
    ["backup-20990101T000000Z.tar.gz", join(dataDir, "plain", plain), "is not encrypted"],
    ["backup-20990101T000000Z.tar.gz.enc", join(folder, own), "renamed"],
    ["backup-20990101T000000Z.dump.enc", join(folder, own), "renamed"],
    ["backup-20990101T000000Z.tar.gz.enc", join(folder, "erasures.json.enc"), "renamed"],
    [
      "backup-20990101T000000Z.tar.gz.enc",
      join(dataDir, "plain", plain),
      "is not a file that npm run backup has encrypted",
    ],
  ] as const;
  for (const [name, from, why] of planted) {
    const path = join(folder, name);
    copyFileSync(from, path);
    const refused = { code: 1, printed: expect.stringContaining(why) };
    expect(await run("backup", ["check", path])).toEqual(refused);
    if (from !== join(folder, own) || name.includes("tar"))
      expect(await run("restore", [path, "--replace", basename(dataDir)])).toEqual(refused);
    if (path.endsWith(".gz")) expect(await run("backup", ["check", "latest"])).toMatchObject({ code: 0 });
    rmSync(path);
  }
});

test("a backup of which rows are missing once it is restored is said to be none, and replaces nothing", async () => {
  const plain = join(dataDir, "plain");
  const env = { BACKUP_KEY: "", BACKUP_DIR: plain };
  const [file = ""] = readdirSync(plain).filter((name) => name.endsWith(".tar.gz"));
  const [path, manifest] = [join(plain, file), join(plain, `${file}.json`)];
  const about = JSON.parse(readFileSync(manifest, "utf8"));
  const rows = await withSite((_, { pool }) => countRows(pool));
  writeFileSync(manifest, JSON.stringify({ ...about, rows }));
  expect(await run("backup", ["check", path], env)).toMatchObject({ code: 0 });
  for (const [table, count, found] of [
    ['public."user"', 3, "has 2 rows, not 3"],
    ["public.gone", 1, "has no rows, not 1"],
  ] as const) {
    writeFileSync(manifest, JSON.stringify({ ...about, rows: { ...rows, [table]: count } }));
    const refused = { code: 1, printed: expect.stringContaining(`it is restored: ${table} ${found}\n`) };
    expect(await run("backup", ["check", path], env)).toEqual(refused);
    expect(await run("restore", [path, "--replace", name, "--without-erasures"], env)).toEqual(refused);
  }
  await withSite(async (_, { pool }) => expect(await countRows(pool)).toEqual(rows));
});

test("a backup of unsound data is whole, but fails, and restoring it warns", async () => {
  const rule = "every user has a sign-in method";
  const unsound = await withSite(async (_, { pool }) => {
    await pool.query(
      `INSERT INTO "user" (id, name, email, email_verified) VALUES ('unsound', 'Nobody', 'nobody@example.com', true)`,
    );
    const made = await run("backup", []);
    const { rows } = await pool.query("SELECT failure FROM backups ORDER BY started_at DESC LIMIT 1");
    expect(rows).toEqual([{ failure: `the data is not sound: ${rule}` }]);
    return made;
  });
  expect(unsound).toEqual({ code: 1, printed: expect.stringContaining(`does not hold: ${rule}\n`) });
  expect(unsound.printed).toContain("the backup is whole, but what it holds is not sound");
  const restored = await run("restore", ["latest", "--replace", name]);
  expect(restored).toEqual({
    code: 0,
    printed: expect.stringContaining(`WARNING: the data is not sound (npm run ops -- invariants): ${rule}\n`),
  });
  await withSite((_, { pool }) => pool.query(`DELETE FROM "user" WHERE id = 'unsound'`));
});

test("a backup without the list of deletions is not restored unless that is said", async () => {
  const elsewhere = mkdtempSync(join(tmpdir(), "backup-"));
  const file = join(folder, readdirSync(folder).find((name) => name.endsWith(".gz.enc")) ?? "");
  const list = join(folder, "erasures.json.enc");
  rmSync(list);
  const refused = { code: 1, printed: expect.stringContaining("no list of deletions is beside the backup") };
  expect(await run("restore", [file], { DATA_DIR: elsewhere })).toEqual(refused);
  // Nor over a database that was only just set up, as by starting the site on a new machine.
  chmodSync(elsewhere, 0o755);
  await withSite(async () => {}, elsewhere);
  const args = [file, "--replace", basename(elsewhere)];
  expect(await run("restore", args, { DATA_DIR: elsewhere })).toEqual(refused);
  rmSync(elsewhere, { recursive: true });
});
