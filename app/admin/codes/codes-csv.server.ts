import type { Queryable } from "../../db/client.server.ts";
import { CSV_CHUNK, type CsvColumn, csvResponse } from "../lists/csv.server.ts";
import { readListQuery } from "../lists/list-query.ts";
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
  ["batch", ({ batchId }) => batchId],
  ["note", ({ note }) => note],
  ["created_at", ({ createdAt }) => createdAt],
];

/** The codes of a list as a file. @param search of the list's URL; `after` goes on with a download that broke off */
export function codesCsv(
  db: Queryable,
  publicOrigin: string,
  name: string,
  search: URLSearchParams,
): Response {
  const readChunk = (after: string | null) => {
    const page = new URLSearchParams(search);
    page.delete("before");
    if (after) page.set("after", after);
    return listCodes(db, readListQuery(page, CODE_LIST), CSV_CHUNK);
  };
  return csvResponse(name, codeColumns(publicOrigin), readChunk, search.get("after"));
}
