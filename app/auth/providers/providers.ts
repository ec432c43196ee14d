/** Where people may sign in instead of having a password here (spec §4); also the last part of each one's paths. */
export const PROVIDERS = ["google", "facebook"] as const;
export type Provider = (typeof PROVIDERS)[number];

export const PROVIDER_NAMES: Record<Provider, string> = { google: "Google", facebook: "Facebook" };

/** What people go to a provider for: to sign in, to connect it to their account, or to confirm who they are. */
const INTENTS = ["sign_in", "connect", "confirm"] as const;
export type Intent = (typeof INTENTS)[number];

export function isProvider(name: unknown): name is Provider {
  return PROVIDERS.some((provider) => provider === name);
}

/** What a form or an address asks for, signing in by default; `null` when there is no such intent. */
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
