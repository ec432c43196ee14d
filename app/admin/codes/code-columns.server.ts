import type { CsvColumn } from "../lists/csv.server.ts";
import type { ListedCode } from "./list-codes.server.ts";

/** What a code leads to when it is followed as a link. */
export const promoLink = (publicOrigin: string, code: string) =>
  `${publicOrigin}/pricing?${new URLSearchParams({ promo: code })}`;

/** What a file says of each code. */
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
