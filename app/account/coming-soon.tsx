import type { FeatureStates } from "../entitlements/features.ts";
import { FEATURE_NAMES, type Feature } from "../entitlements/tiers.ts";

const WHAT_IT_DOES: Record<Feature, string> = {
  csv_processing: "upload your bank’s file and see it in your own words.",
  banking_api: "transactions come in automatically.",
};

/** The dashboard's list of features being built (spec §2), and of those that have opened. */
export function ComingSoon({ features }: { features: FeatureStates }) {
  const keys = Object.keys(WHAT_IT_DOES) as Feature[];
  const open = keys.filter((key) => features[key].isOpen);
  const closed = keys.filter((key) => !features[key].isOpen);
  return (
    <section className="part" aria-labelledby={open.length > 0 ? "open-now" : "coming-soon"}>
      {open.length > 0 && (
        <>
          <h2 id="open-now">Open now</h2>
          <FeatureList keys={open} />
        </>
      )}
      {closed.length > 0 && (
        <>
          <h2 id="coming-soon" className={open.length > 0 ? "pt-4" : undefined}>
            Coming Soon
          </h2>
          <p>We’re building these during the beta. What your plan includes opens here when it’s ready.</p>
          <FeatureList keys={closed} />
        </>
      )}
    </section>
  );
}

function FeatureList({ keys }: { keys: readonly Feature[] }) {
  return (
    <ul className="list">
      {keys.map((key) => (
        <li key={key}>
          <strong>{FEATURE_NAMES[key]}</strong>: {WHAT_IT_DOES[key]}
        </li>
      ))}
    </ul>
  );
}
