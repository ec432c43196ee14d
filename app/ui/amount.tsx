import { amountText } from "./bank-line.ts";

/** An amount as a bank statement has it. @param minorUnits spending is negative; `null`: the statement does not say */
export function Amount({ minorUnits }: { minorUnits: number | null }) {
  const colour = minorUnits === null || minorUnits === 0 ? "" : minorUnits > 0 ? "text-green" : "text-coral";
  return (
    <span className={`amount font-semibold ${colour}`}>{minorUnits !== null && amountText(minorUnits)}</span>
  );
}
