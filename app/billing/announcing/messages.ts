import { FEATURE_NAMES, type Feature } from "../../entitlements/tiers.ts";
import type { Message } from "../../mail/message.ts";
import { REFUND_PROMISE_ONCE_OPEN } from "../../ui/offer.ts";
import type { Site } from "../../ui/site.ts";
import { dashboardOf, footnote } from "../notices/wording.ts";

/**
 * Sent once to everybody who has a plan with a feature when that opens.
 *
 * @param changesRefund whether it is the first to open of a plan they pay for: the refund promise ends with it
 */
export function featureOpenMessage(
  to: string,
  { feature, changesRefund }: { feature: Feature; changesRefund: boolean },
  site: Site,
): Message {
  const name = FEATURE_NAMES[feature];
  return {
    to,
    subject: `${name} is open`,
    paragraphs: [
      `${name} is now open in your account. It’s part of your plan, so there’s nothing to buy and nothing to switch on.`,
      ...(changesRefund
        ? [
            `It’s the first feature of your plan to open, so this is the refund that applies from now on: ${REFUND_PROMISE_ONCE_OPEN}`,
          ]
        : []),
    ],
    action: { label: "Open your dashboard", url: dashboardOf(site) },
    footnotes: [footnote(site)],
  };
}
