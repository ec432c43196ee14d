import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { findWrongImports, readFloors, readTree } from "./floors.ts";

const floors = readFloors(readFileSync("ARCHITECTURE.md", "utf8"));
const tree = readTree();

test("every file of the site is on a floor of ARCHITECTURE.md, and imports lead down", () => {
  expect(floors.length).toBeGreaterThan(4);
  expect(tree.files.length).toBeGreaterThan(200);
  expect(findWrongImports(floors, tree.files, tree.imports)).toEqual([]);
});

test.each([
  ["app/ui/header.tsx", "app/billing/plans.ts"],
  ["app/billing/checkout.server.ts", "app/account/dashboard.tsx"],
  ["app/db/client.server.ts", "app/config/config.server.ts"],
])("%s may not import %s", (from, to) => {
  expect(tree.files).toEqual(expect.arrayContaining([from, to]));
  expect(findWrongImports(floors, tree.files, [...tree.imports, { from, to }])).toContain(
    `${from} imports ${to}, which is on a higher floor`,
  );
});

test("rooms of one floor make no circle, and neither do files of one room", () => {
  const level = { from: "app/outbox/worker.server.ts", to: "app/mail/mail.server.ts" };
  expect(findWrongImports(floors, tree.files, [...tree.imports, level])).toContain(
    `${level.from} imports ${level.to}: a circle of rooms`,
  );
  const back = { from: "app/entitlements/tiers.ts", to: "app/entitlements/schema.ts" };
  expect(findWrongImports(floors, tree.files, [...tree.imports, back])).toContain(
    `${back.from} imports ${back.to}: a circle of files`,
  );
});

test("a room that is on no floor is found", () => {
  expect(findWrongImports(floors, ["app/misc/things.ts"], [])).toEqual([
    "app/misc/things.ts is in a room that is on no floor",
  ]);
});
