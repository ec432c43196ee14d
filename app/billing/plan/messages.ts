import type { Message } from "../../mail/message.ts";
import { type Site, supportAddress, supportUrl } from "../../ui/site.ts";
import { isolate } from "../../ui/typed-text.ts";

/** A declaration of withdrawal, as it was received. */
export interface Declaration {
  name: string;
  email: string;
  planName: string;
  /** Ours, for the receipt and for support. */
  reference: string;
  declaredAt: Date;
}

const MOMENT = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "long",
  year: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
  timeZone: "UTC",
});

/** The receipt of a withdrawal: its content, its date and its time (Directive 2011/83/EU, Article 11a). */
export function withdrawalMessage(declaration: Declaration, site: Site): Message {
  const { name, email, planName, reference, declaredAt } = declaration;
  return {
    to: email,
    subject: `Your withdrawal from ${planName}`,
    paragraphs: [
      `We received your withdrawal on ${MOMENT.format(declaredAt)} UTC. This is your receipt.`,
      `${isolate(name)} withdraws from the contract with ${site.company ?? site.product} for the plan ${planName} (${reference}). Receipt to ${email}.`,
      "The plan ends now. You get back everything you paid for it, the way you paid, within 14 days at the latest. You don’t need to do anything.",
    ],
    footnotes: [
      {
        text: "Keep this email as proof. Questions? Email us:",
        link: { label: supportAddress(site), url: supportUrl(site) },
      },
    ],
  };
}

/** To us: an account is gone whose refund waits for a dispute. @param payments ids at Stripe */
export function disputedRefundMessage(to: string, payments: readonly string[]): Message {
  return {
    to,
    subject: "A refund to pay by hand, if its dispute is won",
    paragraphs: [
      "An account was deleted whose owner had asked for their money back while their bank decides about the payment. Nothing here knows them any more.",
      `If you win the dispute, refund the payment at Stripe: ${payments.join(", ")}.`,
    ],
    footnotes: [{ text: "If the bank keeps the money with them, there is nothing to do." }],
  };
}

/** Sent when a change that was to follow cannot be made: its page had said that it was saved. */
export function changeRefusedMessage(to: string, site: Site): Message {
  return {
    to,
    subject: "We couldn’t change your plan",
    paragraphs: [
      "You asked us to change your plan while our payment provider was out of reach. It has refused the change since, so your plan is as it was. Nothing was charged.",
      "Your dashboard shows what you have. You can ask for the change again there.",
    ],
    action: { label: "Open your dashboard", url: `${site.origin}/dashboard` },
    footnotes: [{ text: `Need help? Email ${supportAddress(site)}.` }],
  };
}
