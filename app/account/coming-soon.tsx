import { FEATURE_NAMES } from "../entitlements/tiers.ts";

/** The dashboard's list of features being built. */
export function ComingSoon() {
  return (
    <section className="part" aria-labelledby="coming-soon">
      <h2 id="coming-soon">Coming Soon</h2>
      <p>We’re building these during the beta. What your plan includes opens here when it’s ready.</p>
      <ul className="list">
        <li>
          <strong>{FEATURE_NAMES.csv_processing}</strong>: upload your bank’s file and see it in your own
          words.
        </li>
        <li>
          <strong>{FEATURE_NAMES.banking_api}</strong>: transactions come in automatically.
        </li>
      </ul>
    </section>
  );
}
