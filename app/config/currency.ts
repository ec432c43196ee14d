/** ISO 4217, in either case. */
export function isCurrency(code: string): boolean {
  return Intl.supportedValuesOf("currency").includes(code.toUpperCase());
}

/** In whole units, and in thousandths: docs.stripe.com/currencies, Minor units in API amounts. */
const WITHOUT_DECIMALS = new Set("bif clp djf gnf jpy kmf krw mga pyg rwf vnd vuv xaf xof xpf".split(" "));
const WITH_THREE_DECIMALS = new Set("bhd jod kwd omr tnd".split(" "));

/** Of Stripe's amounts: 499 in usd is 4.99. `Intl` knows those people write: isk, ugx and huf have two at Stripe. */
export function stripeDecimals(code: string): 0 | 2 | 3 {
  const currency = code.toLowerCase();
  if (WITHOUT_DECIMALS.has(currency)) return 0;
  return WITH_THREE_DECIMALS.has(currency) ? 3 : 2;
}

/** The plural: "US dollars". @param code ISO 4217, in either case */
export function currencyName(code: string): string {
  const format = new Intl.NumberFormat("en-US", {
    style: "currency",
    currency: code,
    currencyDisplay: "name",
  });
  return format.formatToParts(2).find(({ type }) => type === "currency")?.value ?? code.toUpperCase();
}
