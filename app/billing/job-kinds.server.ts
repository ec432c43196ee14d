import type { Feature } from "../entitlements/tiers.ts";
import type { Message } from "../mail/message.ts";
import { defineJob } from "../outbox/outbox.server.ts";

const ofCustomer = ({ stripeCustomerId }: { stripeCustomerId: string }) => stripeCustomerId;
const ofAttempt = ({ attemptId }: { attemptId: string }) => attemptId;

export const SYNC_CUSTOMER = defineJob("sync_customer", ofCustomer);
export const SYNC_CATALOGUE = defineJob<Record<string, never>>("sync_catalogue", () => "catalogue");
export const UPDATE_CUSTOMER = defineJob("update_customer", ({ userId }: { userId: string }) => userId);
export const DELETE_CUSTOMER = defineJob("delete_customer", ofCustomer);
export const CHECK_ATTEMPT = defineJob("check_attempt", ofAttempt);
export const CLOSE_ATTEMPT = defineJob("close_attempt", ofAttempt);

/** `key` names the operator's decision and its payment, so that it runs once. */
export const REFUND_PAYMENT = defineJob("refund_payment", ({ key }: RefundJob) => key);
export const GIVE_CREDIT = defineJob("give_credit", ({ key }: CreditJob) => key);

const ofSubscription = ({ subscriptionId }: { subscriptionId: string }) => subscriptionId;

export const planChangeKey = ({ subscriptionId, number }: { subscriptionId: string; number: number }) =>
  `${subscriptionId} ${number}`;

export const APPLY_PLAN_CHANGE = defineJob("apply_plan_change", ofSubscription);
/** Of a change by an operator: deleted if Stripe refuses it before. */
export const MAIL_PLAN_CHANGE = defineJob<PlanChangeMailJob>("mail_plan_change", planChangeKey);
export const GIVE_DAYS = defineJob("give_days", ({ subscriptionId }: DaysJob) => subscriptionId);

export interface PlanChangeMailJob {
  subscriptionId: string;
  number: number;
  userId: string;
  mail: Message;
}

export interface DaysJob {
  subscriptionId: string;
  feature: Feature;
  openedAt: string;
  /** Of a scheduled change, which is to be scheduled anew. */
  nextPriceId?: string;
}

/** Amounts are in minor units. */
export interface RefundJob {
  key: string;
  stripeCustomerId: string;
  paymentIntentId: string;
  invoiceId: string;
  amount: number;
  endsSubscription: string | null;
  /** After a failed refund: made again to the card, or paid in another way, which is noted at Stripe. */
  again?: "card" | "other";
}

/** In minor units. */
export interface CreditJob {
  key: string;
  userId: string;
  stripeCustomerId: string;
  amount: number;
  currency: string;
}
