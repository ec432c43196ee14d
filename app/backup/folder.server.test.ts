import { pbkdf2 } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  deleteOutlivedBackups,
  describeFile,
  listBackups,
  nameOf,
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
    await writeManifest(path, { ...about, file, ...(await writeWhole(path, content("rows"), key)) });
    expect(await verifyFile(describeFile(path), key)).toMatchObject(about);
    writeFileSync(path, readFileSync(path).subarray(0, -1));
    await expect(verifyFile(describeFile(path), key)).rejects.toThrow("its end is missing");
  }
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
