/** Providers that replace a password here (spec §4); also the last part of each one's paths. */
export const PROVIDERS = ["google", "facebook"] as const;
export type Provider = (typeof PROVIDERS)[number];

export const PROVIDER_NAMES: Record<Provider, string> = { google: "Google", facebook: "Facebook" };

/** Purposes of a provider flow: to sign in, to connect the provider to an account, or to confirm the user's identity. */
const INTENTS = ["sign_in", "connect", "confirm"] as const;
export type Intent = (typeof INTENTS)[number];

export function isProvider(name: unknown): name is Provider {
  return PROVIDERS.some((provider) => provider === name);
}

/** The intent in a form or URL, signing in by default; `null` for an unknown one. */
export function readIntent(value: unknown): Intent | null {
  return INTENTS.find((intent) => intent === (value ?? "sign_in")) ?? null;
}

const CONNECTION_NAMES = new Map(Object.entries({ ...PROVIDER_NAMES, "hosted-app": "The app" }));

/** The name of a connected provider; an unknown one was an app of ours. */
export function providerName(provider: string): string {
  return CONNECTION_NAMES.get(provider) ?? "The app";
}

export function isKnownProvider(provider: string): boolean {
  return CONNECTION_NAMES.has(provider);
}
