import { isForever } from "../entitlements/expiry.ts";
import { PLAN_NAMES } from "../entitlements/tiers.ts";
import { FormattedDate } from "../ui/formatted-date.tsx";
import { Notice } from "../ui/notice.tsx";
import type { PromoAnswer } from "./promo-answer.ts";

/** What a code gave. `next`: the page that follows by itself. */
export function RedeemedNotice({
  redeemed,
  next,
}: {
  redeemed: NonNullable<PromoAnswer["redeemed"]>;
  next?: string;
}) {
  return (
    <Notice tone="good">
      <p className="font-semibold">
        {redeemed.isRepeat ? "You have this already." : "Promo code applied."} {redeemed.code} gives you{" "}
        {PLAN_NAMES[redeemed.tier]}
        {isForever(redeemed.expiresAt, new Date()) ? (
          ". Never expires."
        ) : (
          <>
            {" "}
            until <FormattedDate instant={redeemed.expiresAt} />.
          </>
        )}
      </p>
      {next && (
        <p>
          Taking you to <a href={next}>your dashboard</a>.
        </p>
      )}
    </Notice>
  );
}
