import { afterEach, beforeAll, expect, test } from "vitest";
import { eventually, mainOf, postForm } from "../../../test/http.ts";
import { createOperator } from "../../../test/operator.ts";
import { setupServer } from "../../../test/server.fixture.ts";
import { createSignedInUsers, get, type Person } from "../../../test/users.ts";

const server = setupServer();
let operator: Person;

beforeAll(async () => {
  operator = await createOperator(server.pool);
});
afterEach(() => server.pool.query("DELETE FROM features"));

const page = async (said = "") =>
  (await mainOf(await get(server, `/admin/features${said}`, operator.cookie))).replace(/<!-- -->/g, "");

const change = (fields: Record<string, string>) =>
  postForm(
    server,
    "/admin/features",
    {
      feature: "csv_processing",
      when: fields.day ? "date" : "now",
      day: "",
      seen: "",
      sure: "on",
      ...fields,
    },
    operator.cookie,
  );

const log = async () =>
  (
    await server.pool.query(
      "SELECT actor, action, after FROM audit_log WHERE subject = 'feature:csv_processing' ORDER BY id",
    )
  ).rows;

test("opening says before what it brings, is done once, and mails those who have it once", async () => {
  const users = await createSignedInUsers(server.pool, 3);
  await server.pool.query(
    `INSERT INTO grants (id, user_id, tier, source, expires_at)
     SELECT gen_random_uuid(), id, 'basic', 'admin', now() + interval '1 month' FROM unnest($1::text[]) AS id`,
    [users.map(({ id }) => id)],
  );
  const before = await page("?open=csv_processing");
  expect(before).toContain("Email 3 people");
  expect(before).toContain("CSV Processing is open");
  expect(before).toContain("The refund promise of CSV Only and CSV + Banking is");
  expect((await change({ do: "open", sure: "" })).headers.get("location")).toBe(
    "/admin/features?said=unsure&open=csv_processing",
  );

  const answers = await Promise.all([change({ do: "open" }), change({ do: "open" })]);
  expect(answers.map((answer) => answer.headers.get("location")).toSorted()).toEqual([
    "/admin/features?said=meanwhile",
    "/admin/features?said=opened",
  ]);
  expect(await page("?said=opened")).toContain("those who have it are being emailed");
  const told = await eventually(
    async () => (await log()).find(({ action }) => action === "feature.announced"),
    "everybody was told",
  );
  expect(told).toEqual({
    actor: `site, for ${operator.email}`,
    action: "feature.announced",
    after: { mailed: 3 },
  });
  expect(await page()).toMatch(/3 people,.*Close CSV Processing/s);
  const { rows } = await server.pool.query("SELECT opened_at FROM features WHERE key = 'csv_processing'");
  const seen = rows[0].opened_at.toISOString();
  expect((await change({ do: "close", seen })).headers.get("location")).toBe("/admin/features?said=closed");
  expect(await page("?open=csv_processing")).toContain("Nobody is told twice.");
  expect((await change({ do: "open" })).headers.get("location")).toBe("/admin/features?said=opened-quietly");
  expect((await log()).map(({ action }) => action)).toEqual([
    "feature.opened",
    "feature.announced",
    "feature.closed",
    "feature.opened",
  ]);
});

test("an opening day is set and removed again", async () => {
  const set = await change({ do: "open", day: "2999-03-01" });
  expect(set.headers.get("location")).toBe("/admin/features?said=scheduled");
  expect(await page()).toMatch(/Scheduled.*2999-03-01 00:00.*Clear the date/s);
  const seen = "2999-03-01T00:00:00.000Z";
  expect((await change({ do: "close", seen })).headers.get("location")).toContain("said=closed");
  expect(await page()).not.toContain("Clear the date");
});

test("a day that is over opens nothing, and today means now: nothing is backdated", async () => {
  const count = (await log()).length;
  const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString().slice(0, 10);
  for (const day of ["2000-01-01", yesterday])
    expect((await change({ do: "open", day })).headers.get("location")).toContain("said=past");
  expect(await page("?said=past")).toContain("that date is over");
  expect(await log()).toHaveLength(count);
  const before = Date.now();
  const today = new Date(before).toISOString().slice(0, 10);
  expect((await change({ do: "open", day: today })).headers.get("location")).toContain("said=opened");
  const { rows } = await server.pool.query("SELECT opened_at FROM features WHERE key = 'csv_processing'");
  expect(rows[0].opened_at.getTime()).toBeGreaterThanOrEqual(before - 1000);
});

test("a date that is left empty opens nothing: only “Now” does", async () => {
  const count = (await log()).length;
  const fields = { feature: "csv_processing", do: "open", seen: "", sure: "on", day: "" };
  for (const when of [{ when: "date" }, {}] as Record<string, string>[]) {
    const answer = await postForm(server, "/admin/features", { ...fields, ...when }, operator.cookie);
    expect(answer.headers.get("location")).toBe("/admin/features?said=day&open=csv_processing");
  }
  expect(await log()).toHaveLength(count);
});

test("a wrong day, feature or change changes nothing", async () => {
  const count = (await log()).length;
  const wrong: Record<string, string>[] = [
    { do: "open", day: "soon" },
    { do: "open", feature: "gold" },
    { do: "burn" },
  ];
  for (const fields of wrong) expect((await change(fields)).headers.get("location")).toContain("said=day");
  expect(await log()).toHaveLength(count);
});
