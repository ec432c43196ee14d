import { withoutDirectionMarks } from "../../ui/typed-text.ts";
export interface ListQuery {
  sort: string;
  isDescending: boolean;
  /** `null`: the first page. */
  from: { cursor: Cursor; direction: "after" | "before" } | null;
  filters: Readonly<Record<string, string>>;
}

/** The sort value and the id of a row, as PostgreSQL prints them. */
export type Cursor = readonly [value: string, id: string];

export interface ListRules {
  /** The first is the default. */
  sorts: readonly string[];
  isDescending: boolean;
  filters: readonly string[];
}

/** In characters; longer values are truncated. */
const MAX_FILTER_LENGTH = 254;
const MAX_CURSOR_LENGTH = 2000;

/** Parses the query of a list's URL. Invalid values are ignored. */
export function readListQuery(search: URLSearchParams, rules: ListRules): ListQuery {
  const [, minus, name = ""] = /^(-?)(.*)$/.exec(search.get("sort") ?? "") ?? [];
  const isKnown = rules.sorts.includes(name);
  const filters = rules.filters.flatMap((filter) => {
    const typed = search.get(filter)?.slice(0, 4 * MAX_FILTER_LENGTH) ?? "";
    // PostgreSQL stores no NUL, and the log of downloads has the filters.
    const value = withoutDirectionMarks(typed.replaceAll("\0", "")).slice(0, MAX_FILTER_LENGTH);
    return value ? [[filter, value] as const] : [];
  });
  return {
    sort: isKnown ? name : (rules.sorts[0] ?? ""),
    isDescending: isKnown ? minus === "-" : rules.isDescending,
    from: readFrom(search),
    filters: Object.fromEntries(filters),
  };
}

export const isFiltered = ({ filters }: Pick<ListQuery, "filters">) => Object.keys(filters).length > 0;

export const isWholeList = (query: ListQuery) => !isFiltered(query) && query.from === null;

/** A page says of more rows only that there are more. */
export const MOST_COUNTED = 10_000;

function readFrom(search: URLSearchParams): ListQuery["from"] {
  for (const direction of ["after", "before"] as const) {
    const cursor = decodeCursor(search.get(direction));
    if (cursor) return { cursor, direction };
  }
  return null;
}

export function encodeCursor(cursor: Cursor): string {
  return new TextEncoder()
    .encode(JSON.stringify(cursor))
    .toBase64({ alphabet: "base64url", omitPadding: true });
}

function decodeCursor(text: string | null): Cursor | null {
  if (!text || text.length > MAX_CURSOR_LENGTH) return null;
  try {
    const bytes = Uint8Array.fromBase64(text, { alphabet: "base64url" });
    const parsed: unknown = JSON.parse(new TextDecoder().decode(bytes));
    const [value, id, ...rest]: unknown[] = Array.isArray(parsed) ? parsed : [];
    return typeof value === "string" && typeof id === "string" && rest.length === 0 ? [value, id] : null;
  } catch {
    return null;
  }
}

/** `null` removes a parameter. A shown message is not repeated. */
export function changeQuery(search: string, changes: Record<string, string | null>): string {
  const query = new URLSearchParams(search);
  query.delete("said");
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  return text && `?${text}`;
}
