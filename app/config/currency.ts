/**
 * Whether the currency has two decimals, as the spec's formatting assumes (§9).
 *
 * @param code ISO 4217, in either case
 */
export function hasCents(code: string): boolean {
  if (!Intl.supportedValuesOf("currency").includes(code.toUpperCase())) return false;
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency: code });
  return format.resolvedOptions().maximumFractionDigits === 2;
}

/** The plural, as in a sentence: "US dollars". @param code ISO 4217, in either case */
export function currencyName(code: string): string {
  const format = new Intl.NumberFormat("en-US", {
    style: "currency",
    currency: code,
    currencyDisplay: "name",
  });
  return format.formatToParts(2).find(({ type }) => type === "currency")?.value ?? code.toUpperCase();
}
