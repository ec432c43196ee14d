import { existsSync, readFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { expect, test } from "vitest";
import type { Mutation } from "./mutation.ts";
import { MUTATIONS } from "./mutations.ts";

const all = Object.entries(MUTATIONS).flatMap(([area, mutations]) =>
  mutations.map((mutation) => ({ area, ...mutation })),
);

const textsOf = (mutations: typeof all) =>
  mutations.map(({ area, file, text }) => `${area}, ${file}: ${text}`);

test("every mutation changes code that is there, exactly once, and names tests that are there", () => {
  const broken = all.filter(
    ({ file, text, replacement, tests }) =>
      !existsSync(file) ||
      readFileSync(file, "utf8").split(text).length !== 2 ||
      replacement === text ||
      tests.length === 0 ||
      !tests.every((test) => existsSync(test)),
  );
  expect(textsOf(broken)).toEqual([]);
});

test("every mutation leaves code that can be read: a slip would be noticed by any test", () => {
  // Node reads no JSX.
  const unreadable = all.filter((mutation) => mutation.file.endsWith(".ts") && !isReadable(mutation));
  expect(textsOf(unreadable)).toEqual([]);
});

function isReadable({ file, text, replacement }: Mutation): boolean {
  try {
    stripTypeScriptTypes(readFileSync(file, "utf8").replace(text, () => replacement));
    return true;
  } catch {
    return false;
  }
}

test("docs/measurements.md has a row for each area, with what holds where no test notices", () => {
  const [, section = ""] = readFileSync("docs/measurements.md", "utf8").split("## Tests that can fail");
  const rows = [...section.matchAll(/^\| ([a-z ]+?) *\| *(\d+) \| *(\d+) \| *(\d+) \|(.*)\|$/gm)];
  expect(
    rows.map(([, area, count, noticed, held, reasons]) => [area, count, noticed, held, reasons?.trim()]),
  ).toEqual(
    Object.entries(MUTATIONS).map(([area, mutations]) => {
      const held = mutations.flatMap(({ heldBy }) => heldBy ?? []);
      const counts = [mutations.length, mutations.length - held.length, held.length].map(String);
      return [area, ...counts, held.join("; ")];
    }),
  );
});
