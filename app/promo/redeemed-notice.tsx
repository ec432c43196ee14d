import { isForever } from "../entitlements/expiry.ts";
import { PLAN_NAMES, type Tier } from "../entitlements/tiers.ts";
import { FormattedDate } from "../ui/formatted-date.tsx";
import { Notice } from "../ui/notice.tsx";

/** A code that was redeemed, now or earlier (`isRepeat`). */
export interface RedeemedCode {
  code: string;
  tier: Tier;
  expiresAt: Date;
  isRepeat: boolean;
}

/** The plan a redeemed code gives. `next`: the page the user is about to be taken to. */
export function RedeemedNotice({ redeemed, next }: { redeemed: RedeemedCode; next?: string }) {
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
