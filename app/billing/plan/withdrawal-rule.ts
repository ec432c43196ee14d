const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** From the contract, which the first payment makes (terms.md, Plans and prices): Directive 2011/83/EU, Article 9. */
const WITHDRAWAL_DAYS = 14;

/**
 * Until when a consumer may withdraw from a contract: to the end of its fourteenth day, which the day of the contract does not
 * count to (Regulation 1182/71, Article 3). In UTC.
 */
export function withdrawalEnds(contractMadeAt: Date): Date {
  const firstDay = Math.floor(contractMadeAt.getTime() / DAY_MILLISECONDS);
  return new Date((firstDay + WITHDRAWAL_DAYS + 1) * DAY_MILLISECONDS);
}
