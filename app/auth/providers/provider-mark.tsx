import type { Provider } from "./providers.ts";

/** The provider's letter in one stroke. */
const STROKES: Record<Provider, string> = {
  google: "M18.5 7.5A8 8 0 1 0 20 12h-7",
  facebook: "M15.5 4H14a3.5 3.5 0 0 0-3.5 3.5V20M7 11.5h7.5",
};

export function ProviderMark({ provider }: { provider: Provider }) {
  return (
    <svg width="24" height="24" viewBox="0 0 24 24" aria-hidden="true">
      <path
        d={STROKES[provider]}
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
