import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(new URL(path, import.meta.url), "utf8");
const rows = [...read("./asvs.md").matchAll(/^\|\s*(\d+\.\d+\.\d+)\s*\|[^|]*\|\s*`([^`]+)`: (.*?)\s*\|$/gm)];

test("the table is read", () => expect(rows.length).toBeGreaterThan(20));

test.each(rows.map(([, requirement = "", file = "", title = ""]) => [requirement, file, title] as const))(
  "%s is tested in %s: %s",
  (_requirement, file, title) => {
    expect(existsSync(new URL(`../../${file}`, import.meta.url)), file).toBe(true);
    expect(read(`../../${file}`)).toContain(title);
  },
);
