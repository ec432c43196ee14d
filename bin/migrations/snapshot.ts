/** What Drizzle writes beside each migration: the schema as the code of that version declares it. */
export interface Snapshot {
  tables: Record<string, TableSnapshot>;
  views: Record<string, unknown>;
  sequences: Record<string, unknown>;
}

interface TableSnapshot {
  columns: Record<string, { notNull: boolean; default?: unknown }>;
  indexes: Record<string, { isUnique: boolean }>;
  foreignKeys: Record<string, unknown>;
  compositePrimaryKeys: Record<string, unknown>;
  uniqueConstraints: Record<string, unknown>;
  checkConstraints: Record<string, { value: string }>;
}

export const tableIn = (snapshot: Snapshot | undefined, table: string) => snapshot?.tables[`public.${table}`];

export const columnIn = (snapshot: Snapshot | undefined, table: string, column: string) =>
  tableIn(snapshot, table)?.columns[column];

/** The index of this name, of whichever table. */
export const indexIn = (snapshot: Snapshot | undefined, name: string) =>
  Object.values(snapshot?.tables ?? {})
    .map(({ indexes }) => indexes[name])
    .find((index) => index !== undefined);

/** Whether any table has an index or a constraint of this name. */
export function hasNamed(snapshot: Snapshot, name: string): boolean {
  return Object.values(snapshot.tables).some((table) =>
    [
      table.indexes,
      table.foreignKeys,
      table.compositePrimaryKeys,
      table.uniqueConstraints,
      table.checkConstraints,
    ].some((named) => name in named),
  );
}

/** Whether a check takes all that the one before it took: `column IN (…)`, with more in the list. */
export function isWider(before: string | undefined, after: string): boolean {
  const [old, wider] = [readList(before), readList(after)];
  return (
    old !== null && wider?.subject === old.subject && [...old.items].every((item) => wider.items.has(item))
  );
}

function readList(check: string | undefined): { subject: string; items: Set<string> } | null {
  const found = /^\(*\s*(?<subject>[^()]+?) IN \((?<items>[^()]*)\)\s*\)*$/.exec(check ?? "")?.groups;
  if (!found) return null;
  const items = (found.items ?? "").split(",").map((item) => item.trim());
  return { subject: (found.subject ?? "").replaceAll('"', ""), items: new Set(items) };
}
