import { defineJob } from "../outbox/outbox.server.ts";

const ofCustomer = ({ stripeCustomerId }: { stripeCustomerId: string }) => stripeCustomerId;
const ofAttempt = ({ attemptId }: { attemptId: string }) => attemptId;

export const SYNC_CUSTOMER = defineJob("sync_customer", ofCustomer);
export const SYNC_CATALOGUE = defineJob<Record<string, never>>("sync_catalogue", () => "catalogue");
export const UPDATE_CUSTOMER = defineJob("update_customer", ({ userId }: { userId: string }) => userId);
export const DELETE_CUSTOMER = defineJob("delete_customer", ofCustomer);
export const CHECK_ATTEMPT = defineJob("check_attempt", ofAttempt);
export const CLOSE_ATTEMPT = defineJob("close_attempt", ofAttempt);
export const APPLY_PLAN_CHANGE = defineJob(
  "apply_plan_change",
  ({ subscriptionId }: { subscriptionId: string }) => subscriptionId,
);
