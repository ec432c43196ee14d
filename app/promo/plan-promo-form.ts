/** The promo code form of /subscription, which is also rendered without that page. Success leads to the dashboard (spec §4). */
export const PLAN_PROMO_FORM = {
  page: "/subscription",
  afterSuccess: { seconds: 2, to: "/dashboard" },
} as const;

/** What of that form depends on the page around it: see `PromoForm`. */
interface Around {
  isSecondary: boolean;
  isPaying: boolean;
}

/** Where codes are sent by a script. */
export const REDEEM_PATH = "/promo/redeem";

/** Where the page's script sends the form: with what is needed to render it again. */
export function redeemPath({ isSecondary, isPaying }: Around): string {
  const query = new URLSearchParams({
    ...(isSecondary && { secondary: "" }),
    ...(isPaying && { paying: "" }),
  });
  return `${REDEEM_PATH}?${query}`;
}

/** What `redeemPath` was given. */
export function readRedeemPath({ searchParams }: Pick<URL, "searchParams">): Around {
  return { isSecondary: searchParams.has("secondary"), isPaying: searchParams.has("paying") };
}
