import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { COLORS, DARK_BACKGROUND } from "./colors.ts";

const stylesheet = readFileSync(new URL("theme.css", import.meta.url), "utf8");

function colorsInStylesheet(name: string): string[] {
  const [, value = ""] = new RegExp(`--color-${name}: ([^;]+);`).exec(stylesheet) ?? [];
  return value.match(/#[0-9a-f]{6}/g) ?? [];
}

test.each(Object.entries(COLORS))("%s is the stylesheet's", (name, color) => {
  expect(colorsInStylesheet(name)[0]).toBe(color);
});

test("so is the paper at night", () => expect(colorsInStylesheet("paper")[1]).toBe(DARK_BACKGROUND));
