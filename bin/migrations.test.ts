import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Snapshot } from "./migrations/snapshot.ts";
import { splitStatements } from "./migrations/statements.ts";
import { findUnsafeSteps, type Migration, readMigrations } from "./migrations.ts";

const shipped = readMigrations();
const newest = shipped.at(-1) as Migration;
const nextNumber = (after: number) => String(shipped.length + after).padStart(4, "0");

/** Migrations after the shipped ones, each with the schema before it, changed as it says. */
function withNext(...next: { sql: string; change?: (snapshot: Snapshot) => void }[]): Migration[] {
  const all = [...shipped];
  for (const [index, { sql, change }] of next.entries()) {
    const snapshot = structuredClone(all.at(-1)?.snapshot);
    if (snapshot) change?.(snapshot);
    const when = newest.when + index + 1;
    all.push({ tag: `${nextNumber(index)}_next`, when, sql, snapshot });
  }
  return all;
}

const problemsOf = (sql: string) => findUnsafeSteps(withNext({ sql }));

test("the migrations that are shipped can be made while the version before is running", () => {
  expect(findUnsafeSteps(shipped)).toEqual([]);
});

test("those of the time when every upgrade stopped the site are what it is about", () => {
  const found = findUnsafeSteps(shipped, "0000").join("\n");
  for (const step of [
    'RENAME COLUMN "token"',
    'DROP TABLE "verification"',
    'DROP COLUMN "scope"',
    '"alg" SET NOT NULL',
  ])
    expect(found).toContain(step);
});

describe("a migration may", () => {
  test.each([
    `CREATE TABLE "backups" ("id" text PRIMARY KEY NOT NULL, "size" bigint NOT NULL);
     CREATE UNIQUE INDEX "backups_size" ON "backups" USING btree ("size");
     ALTER TABLE "backups" ADD CONSTRAINT "c" CHECK ("backups"."size" > 0);
     INSERT INTO "backups" VALUES ('1', 1)`,
    `ALTER TABLE "user" ADD COLUMN "nickname" text`,
    `ALTER TABLE "user" ADD COLUMN "points" integer DEFAULT 0 NOT NULL, ADD COLUMN "seen_at" timestamp with time zone DEFAULT now() NOT NULL`,
    `ALTER TABLE "user" ADD COLUMN "nickname" text;
     ALTER TABLE "user" ADD CONSTRAINT "user_nickname_check" CHECK (char_length("user"."nickname") < 9) NOT VALID`,
    `ALTER TABLE "user" ADD COLUMN "team_id" text;
     ALTER TABLE "user" ADD CONSTRAINT "f" FOREIGN KEY ("team_id") REFERENCES "public"."waitlist"("id") ON DELETE cascade NOT VALID`,
    `ALTER TABLE "user" ADD COLUMN "team_id" text;
     -- safe: no row has one
     CREATE UNIQUE INDEX "i" ON "user" USING btree ("team_id") WHERE "user"."team_id" IS NOT NULL`,
    `ALTER TABLE "user" VALIDATE CONSTRAINT "user_nickname_check"`,
    `ALTER TABLE "user" ALTER COLUMN "name" SET DEFAULT '', ALTER COLUMN "image" DROP NOT NULL`,
    `CREATE OR REPLACE VIEW "public"."held_plans" AS (SELECT 1)`,
    `-- safe: it has one row
     UPDATE "database_purpose" SET "purpose" = 'live'`,
    `-- safe: some hundred rows
     CREATE INDEX "i" ON "promo_batches" USING btree ("name")`,
    `-- safe: another has the same order
     DROP INDEX "user_created_at_index"`,
    `CREATE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN DROP TABLE "user"; RETURN NULL; END $$;
     CREATE TRIGGER t AFTER INSERT ON "user" FOR EACH STATEMENT EXECUTE FUNCTION f()`,
    `ALTER TABLE "grants" DROP CONSTRAINT "grants_tier_check";
     ALTER TABLE "grants" ADD CONSTRAINT "grants_tier_check" CHECK ("grants"."tier" IN ('basic', 'premium', 'gold')) NOT VALID`,
  ])("%s", (sql) => {
    expect(problemsOf(sql)).toEqual([]);
  });
});

describe("a migration may not, in one step,", () => {
  test.each([
    [`DROP TABLE "session"`, /still uses the table/],
    [`DROP TABLE "session", "account"`, /one thing at a time/],
    [`ALTER TABLE "user" DROP COLUMN "image" CASCADE`, /one thing at a time/],
    [`ALTER TABLE "user" DROP COLUMN "image"`, /still uses the column/],
    [`ALTER TABLE IF EXISTS ONLY public."user" ADD COLUMN "a" text, DROP "image"`, /still uses the column/],
    [`ALTER TABLE "user" RENAME COLUMN "name" TO "full_name"`, /knows only the old name/],
    [`ALTER TABLE "user" RENAME TO "person"`, /knows only the old name/],
    [`ALTER INDEX "user_created_at_index" RENAME TO "i"`, /knows only the old name/],
    [`ALTER TABLE "prices" ALTER COLUMN "unit_amount" SET DATA TYPE bigint`, /change its type/],
    [`ALTER TABLE "user" ALTER COLUMN "image" SET NOT NULL`, /may still write NULL/],
    [`ALTER TABLE "user" ALTER COLUMN "email_verified" DROP DEFAULT`, /still uses the default/],
    [`ALTER TABLE "user" ADD COLUMN "nickname" text NOT NULL`, /adds rows without it/],
    [`ALTER TABLE "user" ADD COLUMN "key" text DEFAULT gen_random_uuid() NOT NULL`, /written anew/],
    [`ALTER TABLE "user" ADD COLUMN "team" text REFERENCES "waitlist" ("id")`, /constraint of its own/],
    [
      `ALTER TABLE "user" ADD CONSTRAINT "c" CHECK ("user"."name" <> '') NOT VALID`,
      /may write what this refuses/,
    ],
    [`ALTER TABLE "user" ADD CONSTRAINT "c" UNIQUE ("name")`, /may write what this refuses/],
    [
      `ALTER TABLE "user" ADD COLUMN "a" text;
       ALTER TABLE "user" ADD CONSTRAINT "c" CHECK ("user"."a" <> '')`,
      /while all its rows are checked/,
    ],
    [
      `ALTER TABLE "user" ADD COLUMN "a" text;
       ALTER TABLE "user" ADD CONSTRAINT "c" CHECK ("user"."a" <> '') NOT VALID;
       ALTER TABLE "user" VALIDATE CONSTRAINT "c"`,
      /lock that added it is still held/,
    ],
    [`ALTER TABLE "grants" DROP CONSTRAINT "grants_tier_check"`, /still uses the constraint/],
    [
      `ALTER TABLE "grants" DROP CONSTRAINT "grants_tier_check";
       ALTER TABLE "grants" ADD CONSTRAINT "grants_tier_check" CHECK ("grants"."tier" IN ('basic')) NOT VALID`,
      /still uses the constraint/,
    ],
    [`CREATE UNIQUE INDEX "i" ON "user" USING btree ("name")`, /may write what this refuses/],
    [
      `ALTER TABLE "user" ADD COLUMN "team_id" text;
       CREATE UNIQUE INDEX "i" ON "user" USING btree ("team_id", "name")`,
      /may write what this refuses/,
    ],
    [`CREATE INDEX "i" ON "user" USING btree ("name")`, /while its index is made.*-- safe: REASON/],
    [`DROP INDEX "user_created_at_index"`, /finds rows by the index.*-- safe: REASON/],
    [`-- safe: nobody minds\nDROP INDEX "outbox_one_waiting_unique"`, /still uses the index/],
    [`-- safe: nobody minds\nDROP INDEX "no_such_index"`, /still uses the index/],
    [`DROP VIEW "public"."held_plans"`, /CREATE OR REPLACE VIEW/],
    [`CREATE TRIGGER t BEFORE INSERT ON "user" FOR EACH ROW EXECUTE FUNCTION f()`, /does not know/],
    [`UPDATE "user" SET "name" = ''`, /rows that are locked meanwhile/],
    [`TRUNCATE "page_views"`, /gone for the version before/],
    [`DO $$ BEGIN ALTER TABLE "user" DROP COLUMN "image"; END $$`, /does not know/],
    [`-- DROP is fine\n/* ; */ DROP /* it */ TABLE "session"`, /still uses the table/],
    [`-- safe: nobody minds\nDROP TABLE "session"`, /still uses the table/],
    [`-- contract of ${nextNumber(0)}\nDROP TABLE "session"`, /no migration \d{4} before this one/],
    [`-- contract of ${newest.tag.slice(0, 4)}\nDROP TABLE "session"`, /still says otherwise/],
  ])("%s", (sql, problem) => {
    expect(problemsOf(sql).join("\n")).toMatch(problem);
  });
});

test("the contract of a migration since which the code does without", () => {
  const stop = {
    sql: "-- The code does without user.image from here on; a later migration drops it.",
    change: ({ tables }: Snapshot) => {
      delete tables["public.user"]?.columns.image;
    },
  };
  const drop = (note: string) => ({ sql: `${note}\nALTER TABLE "user" DROP COLUMN "image"` });
  expect(findUnsafeSteps(withNext(stop, drop(`-- contract of ${nextNumber(0)}`)))).toEqual([]);
  expect(findUnsafeSteps(withNext(stop, drop(""))).join()).toMatch(
    new RegExp(`^${nextNumber(1)}_next.sql:2: ALTER TABLE "user" DROP COLUMN "image"`),
  );
});

test("a migration that Drizzle would pass over, because it was made before the last one", () => {
  const late = { ...newest, tag: `${nextNumber(0)}_late`, sql: "", when: newest.when - 1 };
  expect(findUnsafeSteps([...shipped, late])).toEqual([
    expect.stringContaining("older than the one before it"),
  ]);
});

test("a note belongs to the statement it stands above, and semicolons within quotes end nothing", () => {
  const [first, second] = splitStatements(`
-- contract of 0013
DROP TABLE "a;b"; --> statement-breakpoint
SELECT ';--', $x$ ; $x$`);
  expect(first).toEqual({ text: 'DROP TABLE "a;b"', line: 3, contractOf: "0013" });
  expect(second).toEqual({ text: "SELECT ';--', $x$ ; $x$", line: 4 });
});

test("the check is part of npm run check", () => {
  expect(JSON.parse(readFileSync("package.json", "utf8")).scripts.check).toContain("node bin/migrations.ts");
});
