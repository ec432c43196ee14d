import { isForever } from "../../entitlements/expiry.ts";
import { useRoot } from "../../ui/site.ts";
import { Moment } from "../console-page.tsx";

export const SOURCE_NAMES = { paid: "Paid", promo: "Promo code", admin: "Given by us" } as const;

export function PlanEnd(props: { expiresAt: Date; renews?: boolean; isDay?: boolean }) {
  const { expiresAt, renews = false, isDay = false } = props;
  if (isForever(expiresAt, useRoot().year)) return "No end";
  return (
    <>
      <Moment instant={expiresAt} isDay={isDay} />
      {renews && ", renews"}
    </>
  );
}
