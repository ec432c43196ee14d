import { fromContext } from "../../http/context.server.ts";
import { normalisePromoCode } from "../../promo/rules.ts";
import { CSV_CHUNK, csvResponse } from "../lists/csv.server.ts";
import { readListQuery } from "../lists/list-query.ts";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/redemptions-csv.ts";
import { type ListedRedemption, listRedemptions, REDEMPTION_LIST } from "./list-redemptions.server.ts";

export async function loader(args: Route.LoaderArgs) {
  const actor = await requireFreshOperator(args);
  const { db } = fromContext(args.context).app;
  const code = normalisePromoCode(args.params.code);
  return csvResponse<ListedRedemption>(
    args.request,
    { db, actor },
    {
      name: "redemptions",
      filters: { code },
      columns: [
        ["user_id", ({ userId }) => userId],
        ["email", ({ email }) => email],
        ["tier", ({ tier }) => tier],
        ["redeemed_at", ({ redeemedAt }) => redeemedAt],
        ["expires_at", ({ expiresAt }) => expiresAt],
        ["revoked_at", ({ revokedAt }) => revokedAt],
        ["same_mailbox_as", ({ sameMailbox }) => sameMailbox?.email ?? null],
      ],
      readChunk: (after) => {
        const query = readListQuery(new URLSearchParams(after ? { after } : {}), REDEMPTION_LIST);
        return listRedemptions(db, code, query, CSV_CHUNK);
      },
    },
  );
}
