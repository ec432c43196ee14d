import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { explainMissing, findPrograms, startOnDatabase } from "./programs.server.ts";

const folder = mkdtempSync(join(tmpdir(), "programs-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Programs of this version, as far as it shows from outside. @returns their folder */
function install(version: string, script = ""): string {
  const bin = join(folder, version);
  mkdirSync(bin, { recursive: true });
  for (const name of ["pg_dump", "pg_restore"]) {
    const path = join(bin, name);
    writeFileSync(
      path,
      `#!/bin/sh\n${script || `echo "${name} (PostgreSQL) ${version} (Debian ${version}-3)"`}\n`,
    );
    chmodSync(path, 0o755);
  }
  return bin;
}

test("programs that know the server are found, and of several the oldest that do", async () => {
  const [old, exact, newer] = ["17.5", "18.6", "19beta1"].map((version) => install(version));
  const path = process.env.PATH;
  process.env.PATH = [newer, old, exact].join(":");
  try {
    expect(await findPrograms(18, null)).toEqual({ folder: exact, version: 18 });
    expect(await findPrograms(19, null)).toEqual({ folder: newer, version: 19 });
    expect(await findPrograms(18, old ?? "")).toBeNull();
    expect(await findPrograms(99, null)).toBeNull();
  } finally {
    process.env.PATH = path;
  }
  expect(explainMissing(18, "/opt/pg")).toContain("18 or newer are needed and not found in /opt/pg (PG_BIN)");
});

test("what a program has said before anybody reads is not lost, and its complaint is told without the password", async () => {
  const url = "postgres://owner:hush@127.0.0.1:1/site?sslmode=no-verify&uselibpqcompat=true";
  const quick = { folder: install("quick", 'echo "$*"; echo "$PGPASSWORD"'), version: 18 };
  const { output, ended } = startOnDatabase(quick, "pg_dump", url, ["--format=custom"]);
  await ended;
  const said = Buffer.concat(await Array.fromAsync(output as AsyncIterable<Buffer>)).toString();
  expect(said).toBe(
    "--format=custom --no-password --dbname=postgres://owner@127.0.0.1:1/site?sslmode=require\nhush\n",
  );
  const failing = { folder: install("failing", 'echo "no such table" >&2; exit 1'), version: 18 };
  await expect(startOnDatabase(failing, "pg_restore", url, []).ended).rejects.toThrow(
    /^pg_restore failed: no such table$/,
  );
});
