import { useRouteLoaderData } from "react-router";
import { formatEnd } from "../ui/format-day.ts";
import { PRICE_PROMISE, REFUND_PROMISE, REFUND_PROMISE_ONCE_OPEN, WAITING_PROMISE } from "../ui/offer.ts";
import { FEATURE_NAMES, FEATURES_BY_TIER, type Feature, TIERS, type Tier } from "./tiers.ts";

export interface FeatureState {
  isOpen: boolean;
  /** In the past or future; `null`: no day is set. */
  openedAt: Date | null;
  /** Announced once, even if it is closed again. */
  hasOpened?: boolean;
}

export type FeatureStates = Record<Feature, FeatureState>;

const BEING_BUILT: FeatureState = { isOpen: false, openedAt: null };

export const NOTHING_OPEN: FeatureStates = { csv_processing: BEING_BUILT, banking_api: BEING_BUILT };

/** From the root loader: current within five seconds. */
export function useFeatures(): FeatureStates {
  return useRouteLoaderData<{ features?: FeatureStates }>("root")?.features ?? NOTHING_OPEN;
}

export function openness(features: FeatureStates): "none" | "some" | "all" {
  const states = Object.values(features);
  if (states.every(({ isOpen }) => isOpen)) return "all";
  return states.some(({ isOpen }) => isOpen) ? "some" : "none";
}

function isAnyOpen(tier: Tier, features: FeatureStates): boolean {
  return FEATURES_BY_TIER[tier].some((feature) => features[feature].isOpen);
}

/** @param tier `null`: for all, in the words of the terms, until every plan has an open feature */
export function refundTerms(tier: Tier | null, features: FeatureStates): string {
  const tiers = tier ? [tier] : TIERS;
  return tiers.every((each) => isAnyOpen(each, features)) ? REFUND_PROMISE_ONCE_OPEN : REFUND_PROMISE;
}

/** Shown beside the button. @param tier `null`: any plan */
export function buyingEarly(tier: Tier | null, features: FeatureStates): string {
  return promisesOf(tier, features).join(" ");
}

/** The same, one by one. */
export function promisesOf(tier: Tier | null, features: FeatureStates): string[] {
  const refund = refundTerms(tier, features);
  return refund === REFUND_PROMISE ? [PRICE_PROMISE, WAITING_PROMISE, refund] : [PRICE_PROMISE, refund];
}

/**
 * Said after the end of a plan of this tier, to which the opening of its first feature adds the days waited: ", plus the days until
 * CSV Processing opens". Empty when a feature has opened already, or none will before `end`.
 */
export function addedDays(tier: Tier, features: FeatureStates, end: Date): string {
  const included = FEATURES_BY_TIER[tier];
  if (included.some((feature) => features[feature].isOpen || features[feature].hasOpened)) return "";
  // Without a day it may open at any time.
  const dayOf = (feature: Feature) => features[feature].openedAt ?? end;
  const [first] = included
    .filter((feature) => dayOf(feature) <= end)
    .toSorted((one, other) => dayOf(one).getTime() - dayOf(other).getTime());
  return first ? `, plus the days until ${FEATURE_NAMES[first]} opens` : "";
}

/** The day a plan of this tier ends or renews, as text; pages with markup use `PlanEnd`. @param timeZone the reader's; `null`: UTC */
export function endInWords(tier: Tier, features: FeatureStates, end: Date, timeZone: string | null): string {
  return formatEnd(end, timeZone) + addedDays(tier, features, end);
}
