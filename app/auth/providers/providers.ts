/** Providers that replace a password (spec §4); also the last part of their paths. */
export const PROVIDERS = ["google", "facebook"] as const;
export type Provider = (typeof PROVIDERS)[number];

export const PROVIDER_NAMES: Record<Provider, string> = { google: "Google", facebook: "Facebook" };

const INTENTS = ["sign_in", "connect", "confirm"] as const;
export type Intent = (typeof INTENTS)[number];

export function isProvider(name: unknown): name is Provider {
  return PROVIDERS.some((provider) => provider === name);
}

/** By default `sign_in`; `null` for an unknown one. */
export function readIntent(value: unknown): Intent | null {
  return INTENTS.find((intent) => intent === (value ?? "sign_in")) ?? null;
}

const CONNECTION_NAMES = new Map(Object.entries({ ...PROVIDER_NAMES, "hosted-app": "The app" }));

/** An unknown one was an app of ours. */
export function providerName(provider: string): string {
  return CONNECTION_NAMES.get(provider) ?? "The app";
}

export function isKnownProvider(provider: string): boolean {
  return CONNECTION_NAMES.has(provider);
}
