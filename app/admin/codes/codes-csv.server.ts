import { CSV_CHUNK, type CsvColumn, csvResponse, type Taker } from "../lists/csv.server.ts";
import { listQueryAfter, readListQuery } from "../lists/list-query.ts";
import { CODE_LIST, type ListedCode, listCodes } from "./list-codes.server.ts";

/** What a code leads to when it is followed as a link. */
export const promoLink = (publicOrigin: string, code: string) =>
  `${publicOrigin}/pricing?${new URLSearchParams({ promo: code })}`;

export const codeColumns = (publicOrigin: string): CsvColumn<ListedCode>[] => [
  ["code", ({ code }) => code],
  ["link", ({ code }) => promoLink(publicOrigin, code)],
  ["state", ({ state }) => state],
  ["tier", ({ tier }) => tier ?? "chosen"],
  ["duration", ({ durationType }) => durationType],
  ["months", ({ durationMonths }) => durationMonths],
  ["redeemed", ({ usedCount }) => usedCount],
  ["max_uses", ({ maxUses }) => maxUses],
  ["starts_at", ({ startsAt }) => startsAt],
  ["expires_at", ({ expiresAt }) => expiresAt],
  ["confirmed_only", ({ confirmedOnly }) => confirmedOnly],
  ["once_per_mailbox", ({ oncePerMailbox }) => oncePerMailbox],
  ["batch", ({ batchId }) => batchId],
  ["note", ({ note }) => note],
  ["created_at", ({ createdAt }) => createdAt],
];

/** The codes of a list as a file. @param search of the list's URL @throws a 400 for a position that is none of this list's */
export function codesCsv(
  request: Request,
  taker: Taker,
  { publicOrigin, name, search }: { publicOrigin: string; name: string; search: URLSearchParams },
): Promise<Response> {
  return csvResponse<ListedCode>(request, taker, {
    name,
    filters: readListQuery(search, CODE_LIST).filters,
    columns: codeColumns(publicOrigin),
    readChunk: (after) => listCodes(taker.db, listQueryAfter(search, CODE_LIST, after), CSV_CHUNK),
  });
}
