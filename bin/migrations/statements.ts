/** One statement of a migration, as the rules read it. */
export interface Statement {
  /** Without comments, and with single spaces. */
  text: string;
  /** The line it begins on, counted from 1. */
  line: number;
  /** `-- contract of 0013`: the migration of the version that stopped using what this takes away. */
  contractOf?: string;
  /** `-- safe: …`: why the version before goes on working beside it, where a program can't tell. */
  safeBecause?: string;
}

/** What the text begins with: a comment, something quoted, the end of a statement, or any other character. */
const TOKEN =
  /--(?<comment>[^\n]*)|\/\*[\s\S]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(?<tag>\w*)\$[\s\S]*?\$\k<tag>\$|(?<end>;)|[\s\S]/g;

/** The statements of a migration with the notes that stand above each. Semicolons within quotes end nothing. */
export function splitStatements(sql: string): Statement[] {
  const statements: Statement[] = [];
  let text = "";
  let line = 0;
  let notes: Pick<Statement, "contractOf" | "safeBecause"> = {};
  const finish = () => {
    if (text.trim()) statements.push({ text: text.trim().replace(/\s+/g, " "), line, ...notes });
    text = "";
    notes = {};
  };
  for (const { 0: token, index, groups } of sql.matchAll(TOKEN)) {
    if (groups?.end) finish();
    else if (groups?.comment !== undefined) notes = { ...notes, ...readNote(groups.comment) };
    else if (!token.startsWith("/*")) {
      if (!text.trim() && token.trim()) line = sql.slice(0, index).split("\n").length;
      text += token;
    }
  }
  finish();
  return statements;
}

function readNote(comment: string): Pick<Statement, "contractOf" | "safeBecause"> {
  const contract = /^\s*contract of (\d{4})\b/.exec(comment)?.[1];
  const reason = /^\s*safe: (\S.*)$/.exec(comment)?.[1];
  return { ...(contract && { contractOf: contract }), ...(reason && { safeBecause: reason }) };
}

/** Splits at the commas that are in no brackets and no quotes: `ALTER TABLE` may do several things at once. */
export function splitActions(text: string): string[] {
  const actions = [""];
  let depth = 0;
  for (const [token] of text.matchAll(/'(?:[^']|'')*'|"(?:[^"]|"")*"|[\s\S]/g)) {
    if (token === "(" || token === "[") depth++;
    if (token === ")" || token === "]") depth--;
    if (token === "," && depth === 0) actions.push("");
    else actions[actions.length - 1] += token;
  }
  return actions.map((action) => action.trim());
}
