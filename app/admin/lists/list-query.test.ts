import { expect, test } from "vitest";
import { changeQuery, encodeCursor, type ListRules, readListQuery } from "./list-query.ts";

const RULES: ListRules = { sorts: ["created", "email"], isDescending: true, filters: ["plan", "email"] };
const read = (query: string) => readListQuery(new URLSearchParams(query), RULES);

test("a list without a query is sorted as its rules say", () => {
  expect(read("")).toEqual({ sort: "created", isDescending: true, from: null, filters: {} });
});

test.each([
  ["sort=email", "email", false],
  ["sort=-email", "email", true],
  ["sort=password", "created", true],
  ["sort=--email", "created", true],
])("%s", (query, sort, isDescending) => {
  expect(read(query)).toMatchObject({ sort, isDescending });
});

test("filters are trimmed, blank and unknown ones left out, long ones cut", () => {
  expect(read(`plan=+basic+&email=+&other=1`).filters).toEqual({ plan: "basic" });
  expect(read(`email=${"x".repeat(10_000)}`).filters.email).toHaveLength(254);
});

test("a cursor comes back as it was, whatever is in it", () => {
  const cursor = ["2026-11-22 14:00:00.123456+00", 'ключ, "1"'] as const;
  expect(read(`after=${encodeCursor(cursor)}`).from).toEqual({ cursor, direction: "after" });
  expect(read(`before=${encodeCursor(cursor)}`).from).toEqual({ cursor, direction: "before" });
});

test.each(["x", "%00", "W10", "WyIxIl0", "WzEsMl0", "bnVsbA", "A".repeat(3_000)])(
  "the cursor %.20s is as if it were absent",
  (cursor) => {
    expect(read(`after=${cursor}`).from).toBeNull();
  },
);

test("changing the query of a list leaves the rest of it", () => {
  expect(changeQuery("?plan=basic&after=x", { after: null, sort: "-email" })).toBe("?plan=basic&sort=-email");
  expect(changeQuery("?after=x", { after: null })).toBe("");
});

test("what was said of a press is not said again by the links of the list", () => {
  expect(changeQuery("?plan=basic&said=due-2", { after: "x" })).toBe("?plan=basic&after=x");
  expect(changeQuery("?said=due-2", { said: "done" })).toBe("?said=done");
});
