/** What a change did to one of the fields it names: `null` where it was not there. */
export interface Difference {
  field: string;
  before: string | null;
  after: string | null;
  hasChanged: boolean;
}

type Fields = Readonly<Record<string, unknown>> | null;

/** The fields of a change, those that changed first; in the order they were written in otherwise. */
export function differencesOf(before: Fields, after: Fields): Difference[] {
  const fields = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return fields
    .map((field) => {
      const [one, other] = [textOf(before, field), textOf(after, field)];
      return { field, before: one, after: other, hasChanged: one !== other };
    })
    .toSorted((one, other) => Number(other.hasChanged) - Number(one.hasChanged));
}

function textOf(fields: Fields, field: string): string | null {
  const value = fields?.[field];
  if (value === undefined) return null;
  return typeof value === "string" ? value : JSON.stringify(value);
}
