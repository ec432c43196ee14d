import { prepareForUser } from "../auth/find-session.server.ts";
import { together } from "../db/parts.server.ts";
import { heldPlansPart, subscriptionPart } from "../entitlements/subscription.server.ts";
import { mirrorPart } from "./catalogue.server.ts";
import { unconfirmedSessionPart } from "./confirm.server.ts";
import { planPart } from "./plan/plan-overview.server.ts";

/** All that the page of plans shows, in one statement. */
export const PLANS_QUESTION = prepareForUser("plans", (userId) =>
  together({
    unconfirmed: unconfirmedSessionPart(userId),
    mirror: mirrorPart(),
    row: planPart(userId),
    held: subscriptionPart(userId),
    all: heldPlansPart(userId),
  }),
);
