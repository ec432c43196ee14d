/** An amount as a bank statement has it: signed, without a currency. Spending is negative. @param minorUnits hundredths */
export function Amount({ minorUnits }: { minorUnits: number }) {
  const isIncome = minorUnits > 0;
  return (
    <span className={`amount font-semibold ${isIncome ? "text-green" : "text-coral"}`}>
      {`${isIncome ? "+" : "−"}${formatAmount(minorUnits)}`}
    </span>
  );
}

/** Two decimals, no sign, no currency. @param minorUnits hundredths */
export function formatAmount(minorUnits: number): string {
  return (Math.abs(minorUnits) / 100).toLocaleString("en-US", { minimumFractionDigits: 2 });
}
