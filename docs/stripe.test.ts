import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

const guide = readFileSync("docs/stripe.md", "utf8");
const sdk = readFileSync("node_modules/stripe/cjs/resources/WebhookEndpoints.d.ts", "utf8");
const [, list = ""] = /enabled_events\[\]=%s " ([^)]+)\)/.exec(guide) ?? [];
const events = list.match(/[\w.]+/g) ?? [];

test("the events that the guide registers are Stripe's, each once", () => {
  expect(events.length).toBeGreaterThan(30);
  expect(new Set(events).size).toBe(events.length);
  for (const event of events) expect(sdk).toContain(`'${event}'`);
});

test("the API version of the guide is the one that is pinned", () => {
  const [, pinned] =
    /API_VERSION = "([^"]+)"/.exec(readFileSync("app/billing/stripe.server.ts", "utf8")) ?? [];
  expect(new Set(guide.match(/\d{4}-\d\d-\d\d\.\w+/g))).toEqual(new Set([pinned]));
});

test("the commands of the guide are there", () => {
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8"));
  const named = Array.from(guide.matchAll(/npm run (\w+)/g), ([, name]) => name);
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining([...new Set(named)]));
  const ops = readFileSync("bin/ops.ts", "utf8");
  for (const [, subject] of guide.matchAll(/npm run ops -- ([a-z]+)/g))
    expect(ops).toContain(`  ${subject}: `);
});
