/** Why a bank refuses a card: https://docs.stripe.com/declines/codes */
interface Decline {
  decline_code: string;
  message: string;
}

/** One of Stripe's test card numbers, and what happens when it is used: https://docs.stripe.com/testing */
export interface TestCard {
  number: string;
  /** The ready-made payment method with this card: `pm_card_visa` */
  alias: string;
  purpose: string;
  brand?: "mastercard";
  /** `attach` also refuses to save the card, `charge` only its payments. */
  declined?: Decline & { at: "attach" | "charge" };
  /** Its holder has to confirm every payment at their bank. Stripe’s own pages take that for granted here. */
  needsAuthentication?: true;
  isDisputed?: true;
  failsRefunds?: true;
}

const GENERIC: Decline = { decline_code: "generic_decline", message: "Your card was declined." };
const INSUFFICIENT: Decline = {
  decline_code: "insufficient_funds",
  message: "Your card has insufficient funds.",
};

export const TEST_CARDS: readonly TestCard[] = [
  { number: "4242424242424242", alias: "pm_card_visa", purpose: "succeeds" },
  { number: "5555555555554444", alias: "pm_card_mastercard", purpose: "succeeds", brand: "mastercard" },
  {
    number: "4000000000000002",
    alias: "pm_card_visa_chargeDeclined",
    purpose: "is declined",
    declined: { at: "attach", ...GENERIC },
  },
  {
    number: "4000000000009995",
    alias: "pm_card_visa_chargeDeclinedInsufficientFunds",
    purpose: "has insufficient funds",
    declined: { at: "attach", ...INSUFFICIENT },
  },
  {
    number: "4000000000000341",
    alias: "pm_card_chargeCustomerFail",
    purpose: "can be saved, and its payments fail",
    declined: { at: "charge", ...GENERIC },
  },
  {
    number: "4000002500003155",
    alias: "pm_card_authenticationRequiredOnSetup",
    purpose: "succeeds: it needs authentication once, which these pages take for granted",
  },
  {
    number: "4000002760003184",
    alias: "pm_card_authenticationRequired",
    purpose: "needs authentication for every later payment",
    needsAuthentication: true,
  },
  {
    number: "4000000000000259",
    alias: "pm_card_createDispute",
    purpose: "pays, and disputes the payment",
    isDisputed: true,
  },
  {
    number: "4000000000005126",
    alias: "pm_card_refundFail",
    purpose: "pays, and its refunds fail",
    failsRefunds: true,
  },
];

/** The card with this number; spaces do not count. */
export function findTestCard(number: string): TestCard | undefined {
  const digits = number.replaceAll(/[\s-]/g, "");
  return TEST_CARDS.find((card) => card.number === digits);
}
