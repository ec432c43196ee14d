import type { Site } from "../../ui/site.ts";

export function whereItWorks(
  { currency, bankCountries }: Pick<Site, "currency" | "bankCountries">,
  isNothingOpen: boolean,
): string {
  return (
    `You can sign up from any country. Prices are in ${currency}, and if your card is in another currency, your bank converts the amount. ` +
    (isNothingOpen
      ? `CSV Processing will take statements in any currency. The Banking API will start with banks in ${bankCountries}. There’s no date for either yet.`
      : `CSV Processing takes statements in any currency. The Banking API starts with banks in ${bankCountries}.`)
  );
}
