/** The parameter by which the only thing that a search can mean is offered, too. */
export const CHOOSE = "choose";

/** The address of a search; it leads to what can only be meant, unless that is offered. */
export function pathOfSearch(typed: string, isOffered: boolean): string {
  return `/admin/search?${new URLSearchParams({ q: typed, ...(isOffered && { [CHOOSE]: "1" }) })}`;
}
