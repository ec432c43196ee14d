import { CSV_CHUNK, csvResponse, type Taker } from "../lists/csv.server.ts";
import type { ListQuery } from "../lists/list-query.ts";
import { stateInWords } from "./member-columns.tsx";
import { listMembers, type MemberRow, readMembersQuery } from "./member-list.server.ts";

/** A list of members as a file. @throws a 400 for a position that is none of this list's */
export function membersCsv(request: Request, taker: Taker, query: ListQuery): Promise<Response> {
  return csvResponse<MemberRow>(request, taker, {
    name: "waitlist",
    filters: query.filters,
    columns: [
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
    readChunk: (after) => {
      const from = after === null ? null : readMembersQuery(new URLSearchParams({ after })).from;
      return listMembers(taker.db, { ...query, from }, CSV_CHUNK);
    },
  });
}
