import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const urlOf = (path: string) => new URL(`../../${path}`, import.meta.url);
const page = readFileSync(urlOf("docs/security/asvs.md"), "utf8");

/** How many requirements of levels 1 and 2 each section of version 5.0.0 has; those of level 3 follow them. */
const SECTIONS = `1.1:2 1.2:9 1.3:11 1.4:3 1.5:2 2.1:3 2.2:3 2.3:4 2.4:1 3.2:2 3.3:4 3.4:6 3.5:5 3.7:2 4.1:3 4.2:1 4.3:2 4.4:4 5.1:1
  5.2:3 5.3:2 5.4:3 6.1:3 6.2:12 6.3:4 6.4:4 6.5:5 6.6:3 6.8:4 7.1:3 7.2:4 7.3:2 7.4:5 7.5:2 7.6:2 8.1:2 8.2:3 8.3:1 8.4:1 9.1:3 9.2:4
  10.1:2 10.2:2 10.3:4 10.4:11 10.5:5 10.6:2 10.7:3 11.1:2 11.2:3 11.3:3 11.4:4 11.5:1 11.6:1 12.1:3 12.2:2 12.3:4 13.1:1 13.2:5 13.3:2
  13.4:5 14.1:2 14.2:4 14.3:3 15.1:3 15.2:3 15.3:7 16.1:1 16.2:5 16.3:4 16.4:3 16.5:3 17.1:1 17.2:4 17.3:2`;

const REQUIREMENTS = SECTIONS.split(/\s+/).flatMap((section) => {
  const [name, count] = section.split(":");
  return Array.from({ length: Number(count) }, (_, at) => `${name}.${at + 1}`);
});

/** Each row: the requirement, and what holds it. */
const rows = Array.from(
  page.matchAll(/^\|\s*(\d+\.\d+\.\d+)\s*\|[^|]*\|\s*(.*?)\s*\|$/gm),
  ([, id = "", heldBy = ""]) => ({ id, heldBy }),
);
const notApplicable = Array.from(
  page.matchAll(/^- (\d+\.\d+\.\d+(?:, \d+\.\d+\.\d+)*): ./gm),
  ([, ids = ""]) => ids.split(", "),
).flat();

/** A test by its file and title, and any file by a name that is in it. */
const TEST = /^`([^`]+\.(?:test|spec)\.ts)`: (.+)$/;
const PLACES = /`([^`\s]+)` `([^`]+)`/g;
const DEVIATION = /^\*\*Deviation\.\*\* .*Needed: /;

/** Whether a file has a name; a heading is a line of its own. */
function hasName(path: string, name: string): boolean {
  const text = existsSync(urlOf(path)) ? readFileSync(urlOf(path), "utf8") : "";
  return text.includes(name.startsWith("## ") ? `\n${name}\n` : name);
}

test("each requirement of levels 1 and 2 is there once", () => {
  const named = [...rows.map(({ id }) => id), ...notApplicable];
  expect(new Set(named).size).toBe(named.length);
  expect(named.filter((id) => REQUIREMENTS.includes(id)).sort()).toEqual(REQUIREMENTS.toSorted());
});

test("the figures are those of the tables", () => {
  const held = rows.filter(({ id }) => REQUIREMENTS.includes(id)).map(({ heldBy }) => heldBy);
  const tested = held.filter((heldBy) => TEST.test(heldBy)).length;
  const deviating = held.filter((heldBy) => DEVIATION.test(heldBy)).length;
  expect(page.replaceAll("\n", " ")).toContain(
    `${REQUIREMENTS.length} in all, of which a test holds ${tested}, code or configuration ${held.length - tested - deviating}, ` +
      `${deviating} are deviations, and ${notApplicable.length} do not apply`,
  );
});

test.each(rows.map(({ id, heldBy }) => [id, heldBy] as const))("%s: %s", (_id, heldBy) => {
  const [, file, title = ""] = TEST.exec(heldBy) ?? [];
  if (file) expect(hasName(file, title)).toBe(true);
  else expect(DEVIATION.test(heldBy) || heldBy.match(PLACES)).toBeTruthy();
});

test("every file and every name in this page is there", () => {
  const places = Array.from(page.matchAll(PLACES), ([, path = "", name = ""]) => ({ path, name }));
  expect(places.filter(({ path, name }) => !hasName(path, name))).toEqual([]);
  const paths = page.match(/(?<=`)(?:app|bin|deploy|docs|test)\/[^`\s]+(?=`)/g) ?? [];
  expect(paths.filter((path) => !existsSync(urlOf(path)))).toEqual([]);
});
