import { pbkdf2 } from "node:crypto";
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { readErasures } from "./erasure-list.server.ts";
import {
  deleteOutlivedBackups,
  describeFile,
  listBackups,
  nameOf,
  newestBackup,
  verifyFile,
  writeManifest,
  writeWhole,
} from "./folder.server.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "backups-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const content = (text: string) => Readable.from([Buffer.from(text)]);

test("a file has its name once it is whole; one that breaks off leaves nothing", async () => {
  const path = join(folder, "whole");
  async function* broken() {
    yield Buffer.from("half");
    throw new Error("the disk is full");
  }
  await expect(writeWhole(path, broken(), null)).rejects.toThrow("the disk is full");
  expect(readdirSync(folder)).toEqual([]);
  expect(await writeWhole(path, content("whole"), null)).toEqual({
    bytes: 5,
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
  });
  await expect(writeWhole(path, broken(), null)).rejects.toThrow();
  expect(readFileSync(path, "utf8")).toBe("whole");
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test("a source that fails at once leaves nothing behind, however busy the disk is", async () => {
  async function* broken() {
    yield Buffer.from("half");
    throw new Error("away");
  }
  for (let round = 0; round < 300; round++) {
    // Opening a file waits for the same threads.
    for (let thread = 0; thread < 3; thread++) pbkdf2("password", "salt", 2000, 32, "sha256", () => {});
    await expect(writeWhole(join(folder, String(round)), broken(), null)).rejects.toThrow("away");
  }
  expect(readdirSync(folder)).toEqual([]);
});

test("two who write the same file at once both succeed, and one of them wins", async () => {
  const path = join(folder, "shared");
  async function* slowly(text: string) {
    for (const letter of text) {
      yield Buffer.from(letter);
      await new Promise(setImmediate);
    }
  }
  const [one, two] = ["one who is slow", "two"];
  await Promise.all([writeWhole(path, slowly(one), null), writeWhole(path, slowly(two), null)]);
  expect([one, two]).toContain(readFileSync(path, "utf8"));
  expect(readdirSync(folder)).toEqual(["shared"]);
});

test("a file that is not the one its manifest is about is refused, encrypted or not", async () => {
  const startedAt = new Date("2027-01-31T04:00:00Z");
  const about = { method: "dump", startedAt, postgres: 18, schema: 1, rows: { "public.user": 1 } } as const;
  for (const key of [null, "a key of at least thirty-two characters"]) {
    const file = nameOf(startedAt, "dump", key !== null);
    const path = join(folder, file);
    await writeManifest(path, { ...about, file, ...(await writeWhole(path, content("rows"), key)) }, key);
    expect(await verifyFile(describeFile(path), key)).toMatchObject(about);
    writeFileSync(path, readFileSync(path).subarray(0, -1));
    await expect(verifyFile(describeFile(path), key)).rejects.toThrow("its end is missing");
  }
});

test("with a key nothing is believed that was not encrypted with it under its own name", async () => {
  const key = "a key of at least thirty-two characters";
  const about = { method: "dump", postgres: 18, schema: 1, rows: { "public.user": 1 } } as const;
  const [early, late] = ["2027-01-31T04:00:00Z", "2027-02-28T04:00:00Z"].map((day) => new Date(day)) as [
    Date,
    Date,
  ];
  const written: string[] = [];
  for (const [startedAt, secret] of [
    [early, key],
    [late, null],
  ] as const) {
    const file = nameOf(startedAt, "dump", secret !== null);
    const path = join(folder, file);
    const made = await writeWhole(path, content("rows"), secret);
    await writeManifest(path, { ...about, file, startedAt, ...made }, secret);
    written.push(path);
  }
  const [own = "", plain = ""] = written;
  expect((await newestBackup(folder, null))?.path).toBe(plain);
  expect((await newestBackup(folder, key))?.path).toBe(own);
  await expect(verifyFile(describeFile(plain), key)).rejects.toThrow("is not encrypted");

  // A manifest in plain words is as if there were none.
  writeFileSync(`${own}.json`, JSON.stringify({ ...about, rows: {} }));
  expect(await verifyFile(describeFile(own), key)).toMatchObject({ rows: about.rows });
  const manifest = readFileSync(`${own}.json.enc`);
  rmSync(`${own}.json.enc`);
  expect(await verifyFile(describeFile(own), key)).toBeNull();

  // Neither of another day, nor of another kind.
  for (const name of [nameOf(late, "dump", true), nameOf(early, "cluster", true)]) {
    const renamed = join(folder, name);
    copyFileSync(own, renamed);
    await expect(verifyFile(describeFile(renamed), key)).rejects.toThrow("renamed");
    writeFileSync(renamed, manifest);
    await expect(verifyFile(describeFile(renamed), key)).rejects.toThrow("renamed");
    rmSync(renamed);
    symlinkSync(own, renamed);
    await expect(verifyFile(describeFile(renamed), key)).rejects.toThrow("renamed");
    rmSync(renamed);
  }
  copyFileSync(own, `${own}.json.enc`);
  await expect(verifyFile(describeFile(own), key)).rejects.toThrow("renamed");

  // A list of deletions may be called otherwise; nothing else is one.
  const list = join(folder, "erasures.json.enc");
  const kept = [{ subject: "user", id: "ada", erasedAt: early }];
  await writeWhole(list, content(JSON.stringify(kept)), key);
  copyFileSync(list, join(folder, "former-erasures.json.enc"));
  for (const name of ["erasures.json.enc", "former-erasures.json.enc"])
    expect(await readErasures(join(folder, name), key)).toMatchObject(kept);
  await expect(readErasures(own, key)).rejects.toThrow();
  copyFileSync(own, list);
  await expect(readErasures(list, key)).rejects.toThrow("renamed");
  writeFileSync(join(folder, "erasures.json"), JSON.stringify(kept));
  await expect(readErasures(join(folder, "erasures.json"), key)).rejects.toThrow("is not encrypted");
});

test("backups that are too old go with what is beside them, but never the newest, and nothing else does", async () => {
  const day = (days: number) => new Date(Date.now() - days * 86_400_000);
  const names = [40, 37, 36].map((days) => nameOf(day(days), "dump", true));
  for (const name of names) {
    writeFileSync(join(folder, name), "");
    writeFileSync(join(folder, `${name}.json`), "");
  }
  for (const name of ["erasures.json", "notes.txt", "old.unfinished", "new.unfinished"])
    writeFileSync(join(folder, name), "");
  utimesSync(join(folder, "old.unfinished"), day(2), day(2));
  expect(await deleteOutlivedBackups(folder, 35, names[0])).toEqual([names[1]]);
  expect(await deleteOutlivedBackups(folder, 35)).toEqual([names[0]]);
  expect((await listBackups(folder)).map(({ path }) => path)).toEqual([join(folder, names[2] ?? "")]);
  expect(readdirSync(folder).sort()).toEqual(
    [names[2], `${names[2]}.json`, "erasures.json", "new.unfinished", "notes.txt"].sort(),
  );
});
