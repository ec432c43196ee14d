import type { Message } from "../../mail/message.ts";
import type { Site } from "../../ui/site.ts";

/** A mail about a plan, and what it is about, so that it is sent once. */
export interface Notice {
  kind:
    | "receipt"
    | "payment_failed"
    | "authentication_needed"
    | "canceled"
    | "ended"
    | "refunded"
    | "card_expires"
    | "access_ends"
    | "renewal"
    | "trial_ends";
  /** An invoice, a refund, a subscription and a day of it: never the same for two things that happened. */
  subject: string;
  /** What happened long ago is no news. */
  occurredAt: Date;
  write(to: string, site: Site, timeZone?: string | null): Message;
  /** Of a refund that ended a subscription: those of one subscription that are news at once are told in one mail. */
  ending?: { subscription: string; refund: RefundFacts };
}

/** A refund of an invoice's payment, in minor units. */
export interface PaidBack {
  id: string;
  invoiceId: string;
  amount: number;
  createdAt: Date;
  /** Whether the plan ends with it. */
  endsPlan: boolean;
}

export interface RefundFacts {
  plan: string;
  /** What is given back. */
  money: Money;
  /** Of the payment it is given back from. */
  paid: Money & { at: Date | null };
  number: string | null;
  card: KnownCard | null;
  access: "ended" | "goes_on";
}

/** An amount in minor units of a currency. */
export interface Money {
  amount: number;
  currency: string;
}

/** A card as people know it, of which Stripe tells us no more. */
export interface KnownCard {
  brand: string;
  last4: string;
}
