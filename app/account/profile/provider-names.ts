const NAMES = new Map([
  ["google", "Google"],
  ["facebook", "Facebook"],
]);

/** What a connected provider is called; what is neither of the two is the hosted app. */
export function providerName(provider: string): string {
  return NAMES.get(provider) ?? "The app";
}
