import type { Queryable } from "../../db/client.server.ts";
import { CSV_CHUNK, csvResponse } from "../lists/csv.server.ts";
import { encodeCursor, type ListQuery } from "../lists/list-query.ts";
import { stateInWords } from "./member-columns.tsx";
import { listMembers, type MemberRow, readMembersQuery } from "./member-list.server.ts";

/** A list of members as a file. */
export function membersCsv(db: Queryable, query: ListQuery): Response {
  const start = query.from?.direction === "after" ? encodeCursor(query.from.cursor) : null;
  return csvResponse<MemberRow>(
    "waitlist",
    [
      ["email", ({ email }) => email],
      ["name", ({ name }) => name],
      ["uses_today", ({ usesToday }) => usesToday],
      ["state", ({ state }) => stateInWords(state)],
      ["number", ({ number }) => number],
      ["friends", ({ friends }) => friends],
      ["brought_by", ({ referrer }) => referrer?.email ?? null],
      ["joined", ({ joinedAt }) => joinedAt],
      ["confirmed", ({ confirmedAt }) => confirmedAt],
      ["invited", ({ invitedAt }) => invitedAt],
      ["code", ({ code }) => code],
    ],
    (after) => {
      const from = after === null ? null : readMembersQuery(new URLSearchParams({ after })).from;
      return listMembers(db, { ...query, from }, CSV_CHUNK);
    },
    start,
  );
}
