import { WAITING_PROMISE } from "../ui/offer.ts";
import { type FeatureStates, openness } from "./features.ts";
import { FEATURES, type Feature } from "./tiers.ts";

// For public pages, the console and mails. `features.ts` is part of every hydrated page.

const IN_FULL: Record<Feature, string> = {
  csv_processing: "CSV Processing (your bank’s file)",
  banking_api: "the Banking API (a connection to your bank)",
};

export function stateOfTheApp(features: FeatureStates): string {
  return `${openAndClosed(features)} There is no mobile app yet.`;
}

/** For those who are invited: what they find. */
export function whatIsLive(features: FeatureStates): string {
  if (openness(features) !== "none") return openAndClosed(features);
  return `Nothing is open yet. ${openAndClosed(features)} ${WAITING_PROMISE}`;
}

export function openAndClosed(features: FeatureStates): string {
  const open = FEATURES.filter((key) => features[key].isOpen);
  const closed = FEATURES.filter((key) => !features[key].isOpen);
  const basis = openness(features) === "none" ? " Every other feature depends on these two." : "";
  return [
    open.length > 0 && `${listOf(open)} open.`,
    closed.length > 0 && `${listOf(closed)} still being built.${basis}`,
  ]
    .filter(Boolean)
    .join(" ");
}

/** "CSV Processing (your bank’s file) and the Banking API (a connection to your bank) are" */
function listOf(features: readonly Feature[]): string {
  const list = features.map((feature) => IN_FULL[feature]).join(" and ");
  return `${list.charAt(0).toUpperCase()}${list.slice(1)} ${features.length > 1 ? "are" : "is"}`;
}
