import { amountText } from "./bank-line.ts";

/** @param props.minorUnits negative for spending; `null`: not on the statement */
export function Amount({ minorUnits, currency }: { minorUnits: number | null; currency?: "$" | "" }) {
  const colour = minorUnits === null || minorUnits === 0 ? "" : minorUnits > 0 ? "text-green" : "text-coral";
  return (
    <span className={`amount font-semibold ${colour}`}>
      {minorUnits !== null && amountText(minorUnits, currency)}
    </span>
  );
}
