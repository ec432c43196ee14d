/**
 * Whether an amount in minor units is a hundredth of the currency, which is what the spec's formatting takes it for
 * (§9).
 *
 * @param code ISO 4217, in either case
 */
export function hasCents(code: string): boolean {
  if (!Intl.supportedValuesOf("currency").includes(code.toUpperCase())) return false;
  const format = new Intl.NumberFormat("en-US", { style: "currency", currency: code });
  return format.resolvedOptions().maximumFractionDigits === 2;
}
