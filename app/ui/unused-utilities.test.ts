import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const APP = join(import.meta.dirname, "..");

/** Every text between quotes of the code that may be put into a page. */
function textsOf(file: string): string[] {
  return [...readFileSync(file, "utf8").matchAll(/"([^"\n]*)"|`([^`]*)`/g)].map(
    ([, plain, template]) => plain ?? template ?? "",
  );
}

test("no utility that the style sheet leaves out is a class of a page", () => {
  const [, leftOut = ""] =
    /@source not inline\("([^"]+)"\)/.exec(readFileSync(join(APP, "styles.css"), "utf8")) ?? [];
  const words = leftOut.split(" ");
  expect(words.length).toBeGreaterThan(1);
  const files = globSync("**/*.{ts,tsx}", { cwd: APP }).filter((file) => !/\.(test|fixture)\./.test(file));
  // Beside another class, which tells a list of classes from a sentence.
  const uses = files.flatMap((file) =>
    textsOf(join(APP, file))
      .filter((text) =>
        /(^|\s)(grid|flex|sheet|font-\w+|text-\w+|border-\S+|bg-\S+|p[xyt]?-\d)(\s|$)/.test(text),
      )
      .flatMap((text) =>
        words.filter((word) => text.split(/\s+/).includes(word)).map((word) => `${file}: ${word}`),
      ),
  );
  expect(uses).toEqual([]);
});
