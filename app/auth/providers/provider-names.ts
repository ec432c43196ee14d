import { PROVIDER_NAMES } from "./providers.ts";

const NAMES = new Map(Object.entries({ ...PROVIDER_NAMES, "hosted-app": "The app" }));

/** The name of a connected provider; an unknown one was an app of ours. */
export function providerName(provider: string): string {
  return NAMES.get(provider) ?? "The app";
}

export function isKnownProvider(provider: string): boolean {
  return NAMES.has(provider);
}
