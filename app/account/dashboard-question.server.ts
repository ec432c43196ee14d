import { prepareForUser } from "../auth/find-session.server.ts";
import { unconfirmedSessionPart } from "../billing/confirm.server.ts";
import { ownPlanPart } from "../billing/plan/own-plan.server.ts";
import { together } from "../db/parts.server.ts";
import { heldPlansPart, subscriptionPart } from "../entitlements/subscription.server.ts";

/** All that the dashboard shows, in one statement. */
export const DASHBOARD_QUESTION = prepareForUser("dashboard", (userId) =>
  together({
    unconfirmed: unconfirmedSessionPart(userId),
    subscription: subscriptionPart(userId),
    held: heldPlansPart(userId),
    own: ownPlanPart(userId),
  }),
);
