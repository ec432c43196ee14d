import { FEATURE_NAMES } from "../entitlements/tiers.ts";

/** The dashboard's list of features being built. */
export function ComingSoon() {
  return (
    <section className="grid gap-5 border-t-2 border-ink pt-5" aria-labelledby="coming-soon">
      <h2 id="coming-soon">Coming Soon</h2>
      <p>We are building these in the beta. What your plan includes opens here as it arrives.</p>
      <ul className="list">
        <li>
          <strong>{FEATURE_NAMES.csv_processing}</strong>: hand us your bank's file, get it back in your own
          words.
        </li>
        <li>
          <strong>{FEATURE_NAMES.banking_api}</strong>: lines arrive from your bank by themselves.
        </li>
      </ul>
    </section>
  );
}
