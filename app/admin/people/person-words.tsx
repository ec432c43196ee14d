import { isForever } from "../../entitlements/expiry.ts";
import { useRoot } from "../../ui/site.ts";
import { Moment } from "../console-page.tsx";

/** Where a plan comes from. */
export const SOURCE_NAMES = { paid: "Paid", promo: "Promo code", admin: "Given by us" } as const;

/** Until when a plan gives access. */
export function PlanEnd({ expiresAt, renews = false }: { expiresAt: Date; renews?: boolean }) {
  if (isForever(expiresAt, useRoot().year)) return "No end";
  return (
    <>
      <Moment instant={expiresAt} />
      {renews && ", renews"}
    </>
  );
}

/** The reason of a change, which the log keeps. @param label which asks for it without the person's name */
export function ReasonField({ id, label }: { id: string; label: string }) {
  return (
    <>
      <label htmlFor={id} className="font-semibold">
        {label}
      </label>
      <input id={id} name="reason" className="field-input" required maxLength={500} autoComplete="off" />
    </>
  );
}
