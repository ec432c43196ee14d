import { PROVIDER_NAMES } from "./providers.ts";

const NAMES = new Map(Object.entries({ ...PROVIDER_NAMES, "hosted-app": "The app" }));

/** What a connected provider is called; one that nobody knows any more was an app of ours. */
export function providerName(provider: string): string {
  return NAMES.get(provider) ?? "The app";
}

export function isKnownProvider(provider: string): boolean {
  return NAMES.has(provider);
}
