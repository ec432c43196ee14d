type Fields = Readonly<Record<string, unknown>> | null;

/** An absent value is `null`. Changed fields first; otherwise in the order written. */
export function differencesOf(before: Fields, after: Fields) {
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
