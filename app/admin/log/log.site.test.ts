import { beforeAll, expect, test } from "vitest";
import { createOperator } from "../../../test/operator.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { get, type Person } from "../../../test/users.ts";
import { differencesOf } from "../../audit/differences.ts";
import { sentenceOf } from "./sentence.ts";

const server = sharedServer();
let operator: Person;

beforeAll(async () => {
  operator = await createOperator(server.pool);
  await server.pool.query(
    // Without the trigger that says who it was.
    `SET session_replication_role = replica;
     INSERT INTO audit_log (actor, action, subject, before, after, reason) VALUES
       ('ada@example.com', 'promo_code.edited', 'promo_code:AUTUMN', '{"maxUses": 10, "note": "<b>"}',
         '{"maxUses": 20, "note": "<b>"}', '=HYPERLINK("x")'),
       ('npm run ops', 'grant.given', 'user:abc', NULL, '{"tier": "premium"}', NULL),
       ('npm run ops', 'grant.revoked', 'user:abc', '{"tier": "premium"}', NULL, 'Asked to');
     RESET session_replication_role`,
  );
});

const page = async (path: string) => (await get(server, path, operator.cookie)).text();
const shown = (text: string) =>
  ["AUTUMN", "Grant given", "Grant revoked"].filter((what) => rowsOf(text).includes(what));
const rowsOf = (text: string) => /<tbody[^>]*>.*<\/tbody>/s.exec(text)?.[0] ?? "";

test("the log says who did what to what, with what changed first, and leads to it", async () => {
  const text = await page("/admin/log");
  expect(text).toMatch(/<del dir="auto">10<\/del>.*<ins dir="auto">20<\/ins>/s);
  expect(text).toContain("&lt;b&gt;");
  expect(text).toContain('href="/admin/people/abc"');
  expect(text).toContain('href="/admin/codes/AUTUMN"');
  expect(text.replaceAll(/<[^>]+>/g, "")).toContain("Made AUTUMN good for 20 uses");
  expect(text).toContain(">A deleted account</a>");
  expect(rowsOf(text).indexOf("Grant revoked")).toBeLessThan(rowsOf(text).indexOf("Grant given"));
});

test.each([
  ["actor=npm+run+ops", ["Grant given", "Grant revoked"]],
  ["action=grant.given", ["Grant given"]],
  ["subject=user:abc&sort=at", ["Grant given", "Grant revoked"]],
  ["subject=user:abc&actor=ada@example.com", []],
  ["actor=%27%20OR%201=1--", []],
])("filtered by %s", async (query, expected) => {
  expect(shown(await page(`/admin/log?${query}`))).toEqual(expected);
});

test("the actions to choose from are those the log knows, each once", async () => {
  const text = await page("/admin/log");
  const options = [...text.matchAll(/<option value="([^"]+)"/g)].map(([, value]) => value);
  expect(options).toHaveLength(new Set(options).size);
  expect(options).toEqual(expect.arrayContaining(["grant.given", "grant.revoked", "promo_code.edited"]));
});

test("a change is said in words", () => {
  const said = (action: string, before: object | null, after: object | null) =>
    sentenceOf({ action, subject: "promo_code:AUTUMN", before: { ...before }, after: { ...after } });
  expect(said("promo_code.edited", { durationMonths: 1 }, { durationMonths: 3 })).toBe(
    "made AUTUMN valid 3 months",
  );
  expect(said("user.plan_ended", null, { ends: "now", refunded: 1000, currency: "usd" })).toBe(
    "ended a plan immediately and refunded $10.00",
  );
  expect(said("grant.given", null, null)).toBe("Grant given");
});

test("the fields of a change", () => {
  expect(differencesOf({ a: 1, b: null }, { a: 1, b: "x", c: [1] })).toEqual([
    { field: "b", before: "null", after: "x", hasChanged: true },
    { field: "c", before: null, after: "[1]", hasChanged: true },
    { field: "a", before: "1", after: "1", hasChanged: false },
  ]);
  expect(differencesOf(null, null)).toEqual([]);
});
