import { sql } from "drizzle-orm";
import type { Database } from "./client.server.ts";
import { createGatherer, patienceOver } from "./gather.server.ts";
import { type Given, type Part, prepare, rows } from "./parts.server.ts";
import { onePerDatabase } from "./per-database.server.ts";
import { givenRows } from "./prepared.server.ts";

/** Answers of a statement: each waits for all of them. */
const MOST_AT_ONCE = 32;
/** Statements under way at a time. */
const STATEMENTS_AT_ONCE = 6;

/**
 * A part about one text that many ask at once, each about their own: while the database is busy with the last ones, those that arrive are
 * asked in one statement, which begins after the last of them came. So nobody reads what was true before they asked.
 *
 * @param name of its prepared statements: no others have it
 * @param makePart from the text
 * @returns what asks it
 */
export function prepareTogether<Answer>(
  name: string,
  makePart: (about: Given) => Part<Answer>,
): (db: Database, about: string) => Promise<Answer> {
  const askOne = prepare<Answer, "about">(name, () => makePart(sql.placeholder("about")));
  const askAll = prepare(`${name}_all`, () =>
    rows(
      { about: sql<string>`asked.about`, answer: makePart(sql`asked.about`) },
      sql`FROM ${givenRows({ all: "text" })} AS asked (about, place) ORDER BY asked.place`,
    ),
  );
  const askOver = onePerDatabase((db) =>
    createGatherer<string, Answer>({
      most: MOST_AT_ONCE,
      atOnce: STATEMENTS_AT_ONCE,
      isReading: true,
      // A batch may have to wait for a connection, too.
      ...patienceOver(db, 0.5),
      async run([first, ...others]) {
        if (first === undefined) return [];
        if (others.length === 0) return [await askOne(db, { about: first })];
        const all = [first, ...others];
        const answers = await askAll(db, { all });
        // Nobody may be told what somebody else asked for.
        if (answers.some(({ about }, at) => about !== all[at]))
          throw new Error(`${name}: answers in another order`);
        return answers.map(({ answer }) => answer as Answer);
      },
    }),
  );
  return (db, about) => askOver(db)(about);
}
