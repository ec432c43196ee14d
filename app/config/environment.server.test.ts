import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { environment } from "./environment.server.ts";

test(".env.example explains every setting there is, and no other", () => {
  const explained = [...readFileSync(".env.example", "utf8").matchAll(/^#([A-Z_]+)=/gm)].map(
    ([, name]) => name,
  );
  expect(explained.toSorted()).toEqual(Object.keys(environment.shape).toSorted());
});
