import { columnIn, hasNamed, indexIn, isWider, type Snapshot, tableIn } from "./snapshot.ts";
import { type Statement, splitActions } from "./statements.ts";

/** What the rules know about the migration that a statement is part of. */
export interface Context {
  /** Tables that the migration creates itself: nobody uses them yet. */
  newTables: ReadonlySet<string>;
  /** `table.column` of columns that it adds. */
  newColumns: ReadonlySet<string>;
  /** The names of constraints that it adds. */
  addedConstraints: ReadonlyMap<string, string>;
  /** The schema of the version before. */
  before: Snapshot | undefined;
}

/**
 * Why a statement can't be made while the version before is running, and what to do instead.
 *
 * - `never`: there is another way, which the text says.
 * - `contract`: allowed once an earlier version no longer needs it (`-- contract of NNNN`). `isDeclared` says whether the
 *   schema of that version already is as this statement makes it.
 * - `note`: fine in some cases, which somebody has to judge (`-- safe: …`).
 */
export interface Problem {
  kind: "never" | "contract" | "note";
  text: string;
  isDeclared?: (snapshot: Snapshot) => boolean;
}

const NAME = String.raw`(?:"?public"?\.)?"?(\w+)"?`;
const IF = "(?:IF (?:NOT )?EXISTS )?";
const pattern = (source: string) =>
  new RegExp(`^${source.replaceAll("NAME", NAME).replaceAll("IF ", IF)}`, "i");

/** The first that fits decides. */
const STATEMENTS: [RegExp, (match: string[], context: Context, text: string) => Problem[]][] = [
  [pattern("CREATE (?:TABLE|SEQUENCE|VIEW|FUNCTION) "), () => []],
  // PostgreSQL itself refuses one that lacks a column of the view it replaces, or changes one's type.
  [pattern("CREATE OR REPLACE VIEW "), () => []],
  [pattern("CREATE TRIGGER NAME AFTER "), () => []],
  [pattern("COMMENT ON "), () => []],
  [/^DROP .*(,| CASCADE$)/i, () => [tooMuch()]],
  [
    pattern(`CREATE (UNIQUE )?INDEX IF NAME ON NAME (.*)`),
    ([, unique, name = "", table = "", definition = ""], context) => {
      if (isNew(context, table)) return [];
      const addsRule = unique && !isOfNewColumns(definition, table, context);
      return addsRule ? [addedRule(name), blocksWriting()] : [blocksWriting()];
    },
  ],
  [
    pattern("ALTER TABLE IF (?:ONLY )?NAME (.*)"),
    ([, table = "", actions = ""], context) =>
      splitActions(actions).flatMap((action) => judgeAction(action, table, context)),
  ],
  [
    pattern("DROP TABLE IF NAME"),
    ([, table = ""]) => [takenAway("the table", (now) => !tableIn(now, table))],
  ],
  [
    pattern("DROP INDEX IF NAME"),
    // One that is not unique only says where rows are: without it every statement gives what it gave.
    ([, name = ""], { before }) => [
      indexIn(before, name)?.isUnique === false
        ? { kind: "note", text: "the version before finds rows by the index" }
        : takenAway("the index", (now) => !hasNamed(now, name)),
    ],
  ],
  [
    pattern("DROP VIEW IF NAME"),
    ([, view = ""]) => [
      {
        kind: "contract",
        text: "the version before still reads the view: change it with CREATE OR REPLACE VIEW, new columns last",
        isDeclared: (now) => !(`public.${view}` in now.views),
      },
    ],
  ],
  [pattern("DROP (?:FUNCTION|TRIGGER|SEQUENCE) "), () => [takenAway("it", () => true)]],
  [
    pattern("TRUNCATE "),
    () => [{ kind: "never", text: "rows that are deleted are gone for the version before, too" }],
  ],
  [
    pattern(`(?:INSERT INTO|UPDATE|DELETE FROM) (?:ONLY )?NAME`),
    ([, table = ""], { newTables }) =>
      newTables.has(table)
        ? []
        : [
            {
              kind: "note",
              text: `the version before goes on reading and writing ${table}, and waits for rows that are locked meanwhile`,
            },
          ],
  ],
  [pattern("ALTER (?:INDEX|SEQUENCE|VIEW|TYPE) .* RENAME "), () => [renamed()]],
];

/** One thing that an ALTER TABLE does. */
const ACTIONS: [RegExp, (match: string[], table: string, context: Context) => Problem[]][] = [
  [pattern("ADD COLUMN IF NAME (.*)"), ([, , definition = ""]) => judgeColumn(definition)],
  [
    pattern("ADD CONSTRAINT NAME (.*)"),
    ([, name = "", definition = ""], table, context) => judgeConstraint(name, definition, table, context),
  ],
  [
    pattern("VALIDATE CONSTRAINT NAME"),
    ([, name = ""], _table, { addedConstraints }) =>
      addedConstraints.has(name)
        ? [
            {
              kind: "never",
              text: "the lock that added it is still held. Validate it in the next version’s migration",
            },
          ]
        : [],
  ],
  [pattern("RENAME "), () => [renamed()]],
  [/^DROP .* CASCADE$/i, () => [tooMuch()]],
  [
    pattern("DROP CONSTRAINT IF NAME"),
    ([, name = ""], table, { addedConstraints, before }) =>
      isWider(tableIn(before, table)?.checkConstraints[name]?.value, checkOf(addedConstraints.get(name)))
        ? []
        : [takenAway("the constraint", (now) => !hasNamed(now, name))],
  ],
  [
    pattern("DROP (?:COLUMN )?IF NAME"),
    ([, column = ""], table) => [takenAway("the column", (now) => !columnIn(now, table, column))],
  ],
  [
    pattern("ALTER (?:COLUMN )?NAME (?:SET DATA )?TYPE"),
    () => [
      {
        kind: "never",
        text: "a column can’t change its type under the version before. Add another column, write both, copy, read the new one; drop the old one later",
      },
    ],
  ],
  [
    pattern("ALTER (?:COLUMN )?NAME SET NOT NULL"),
    ([, column = ""], table) => [
      {
        kind: "contract",
        text: "the version before may still write NULL, or nothing",
        isDeclared: (now) => columnIn(now, table, column)?.notNull === true,
      },
    ],
  ],
  [
    pattern("ALTER (?:COLUMN )?NAME DROP DEFAULT"),
    ([, column = ""], table) => [
      takenAway("the default", (now) => columnIn(now, table, column)?.default === undefined),
    ],
  ],
  [pattern("ALTER (?:COLUMN )?NAME (?:SET DEFAULT|DROP NOT NULL)"), () => []],
];

/** The problems of a statement, whatever its notes say. */
export function judge({ text }: Statement, context: Context): Problem[] {
  for (const [form, rule] of STATEMENTS) {
    const match = form.exec(text);
    if (match) return rule(match, context, text);
  }
  return [unknown()];
}

function judgeAction(action: string, table: string, context: Context): Problem[] {
  if (isNew(context, table)) return [];
  for (const [form, rule] of ACTIONS) {
    const match = form.exec(action);
    if (match) return rule(match, table, context);
  }
  return [unknown()];
}

function judgeColumn(definition: string): Problem[] {
  const problems: Problem[] = [];
  const hasDefault = /\bDEFAULT\b/i.test(definition);
  if (/\bNOT NULL\b/i.test(definition) && !hasDefault)
    problems.push({
      kind: "never",
      text: "the version before adds rows without it. Give it a default, or let it be NULL",
    });
  // Only what is the same for all rows is kept once instead of in every row.
  if (/\bserial\b|\bGENERATED\b|DEFAULT (?:gen_random|random|clock_timestamp|nextval|uuid)/i.test(definition))
    problems.push({
      kind: "never",
      text: "every row is written anew while nobody may use the table. Let it be NULL, and fill it in batches",
    });
  if (/\b(UNIQUE|PRIMARY KEY|REFERENCES|CHECK)\b/i.test(definition))
    problems.push({ kind: "never", text: "add what must hold for it as a constraint of its own, NOT VALID" });
  return problems;
}

function judgeConstraint(name: string, definition: string, table: string, context: Context): Problem[] {
  const old = tableIn(context.before, table)?.checkConstraints[name]?.value;
  const problems: Problem[] = [];
  if (!isOfNewColumns(definition, table, context) && !isWider(old, checkOf(definition)))
    problems.push(addedRule(name));
  if (/^(UNIQUE|PRIMARY KEY)/i.test(definition)) problems.push(blocksWriting());
  else if (!/\bNOT VALID$/i.test(definition))
    problems.push({
      kind: "note",
      text: "nobody may use the table while all its rows are checked. Add it NOT VALID; VALIDATE CONSTRAINT in the next version’s migration",
    });
  return problems;
}

/** Whether a constraint or an index is about columns only that the version before does not write. */
function isOfNewColumns(definition: string, table: string, { newColumns }: Context): boolean {
  const columns = columnsOf(definition, table);
  return columns.length > 0 && columns.every((column) => newColumns.has(`${table}.${column}`));
}

/** The columns that a constraint is about: of a foreign key or a unique constraint those it lists, of a check or an index all it names. */
function columnsOf(definition: string, table: string): string[] {
  const listed = /^(?:FOREIGN KEY|UNIQUE|PRIMARY KEY)\s*\((?<columns>[^)]*)\)/i.exec(definition)?.groups
    ?.columns;
  const names = (listed ?? definition).matchAll(/"(\w+)"/g);
  return [...names].map(([, name = ""]) => name).filter((name) => name !== table);
}

const checkOf = (definition = "") => /^CHECK \((.*)\)(?: NOT VALID)?$/i.exec(definition)?.[1] ?? "";
const isNew = ({ newTables }: Context, table: string) => newTables.has(table);

function takenAway(what: string, isDeclared: (snapshot: Snapshot) => boolean): Problem {
  return { kind: "contract", text: `the version before still uses ${what}`, isDeclared };
}

function addedRule(name: string): Problem {
  return {
    kind: "contract",
    text: "the version before may write what this refuses",
    isDeclared: (now) => hasNamed(now, name),
  };
}

function blocksWriting(): Problem {
  return { kind: "note", text: "nobody can write to the table while its index is made" };
}

function renamed(): Problem {
  return {
    kind: "never",
    text: "the version before knows only the old name. Add the new one beside it, write both, copy; drop the old one later",
  };
}

function tooMuch(): Problem {
  return { kind: "never", text: "drop one thing at a time, by its name and without CASCADE" };
}

function unknown(): Problem {
  return { kind: "note", text: "bin/migrations/rules.ts does not know what this does to the version before" };
}
