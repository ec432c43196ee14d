/** Why a bank refuses a card: https://docs.stripe.com/declines/codes */
export interface Decline {
  code: "card_declined" | "expired_card" | "incorrect_cvc" | "processing_error" | "authentication_required";
  decline_code: string;
  message: string;
}

/** One of Stripe's test card numbers, and what happens when it is used: https://docs.stripe.com/testing */
export interface TestCard {
  number: string;
  brand: "visa" | "mastercard" | "amex" | "discover" | "diners" | "jcb" | "unionpay";
  funding: "credit" | "debit" | "prepaid";
  /** The ready-made payment method with this card: `pm_card_visa` */
  alias: string;
  /** What it is for, as the checkout page says it. */
  purpose: string;
  /** `attach` also refuses to save the card, `charge` only its payments. */
  declined?: Decline & { at: "attach" | "charge" };
  /** `setup`: until it has been authenticated once. `always`: for every payment. */
  authentication?: "setup" | "always";
  /** The cardholder disputes every payment. */
  disputed?: "fraudulent" | "product_not_received";
}

const declined = (decline_code: string, message = "Your card was declined."): Decline => ({
  code: "card_declined",
  decline_code,
  message,
});

const visa = { brand: "visa", funding: "credit" } as const;

export const TEST_CARDS: readonly TestCard[] = [
  { ...visa, number: "4242424242424242", alias: "pm_card_visa", purpose: "succeeds" },
  {
    ...visa,
    number: "4000000000000002",
    alias: "pm_card_visa_chargeDeclined",
    purpose: "is declined",
    declined: { at: "attach", ...declined("generic_decline") },
  },
  {
    ...visa,
    number: "4000000000009995",
    alias: "pm_card_visa_chargeDeclinedInsufficientFunds",
    purpose: "has insufficient funds",
    declined: { at: "attach", ...declined("insufficient_funds", "Your card has insufficient funds.") },
  },
  {
    ...visa,
    number: "4000000000000069",
    alias: "pm_card_chargeDeclinedExpiredCard",
    purpose: "is declined as expired",
    declined: {
      at: "attach",
      code: "expired_card",
      decline_code: "expired_card",
      message: "Your card has expired.",
    },
  },
  {
    ...visa,
    number: "4000000000000127",
    alias: "pm_card_chargeDeclinedIncorrectCvc",
    purpose: "is declined for its security code",
    declined: {
      at: "attach",
      code: "incorrect_cvc",
      decline_code: "incorrect_cvc",
      message: "Your card's security code is incorrect.",
    },
  },
  {
    ...visa,
    number: "4000000000000119",
    alias: "pm_card_chargeDeclinedProcessingError",
    purpose: "fails with a processing error",
    declined: {
      at: "attach",
      code: "processing_error",
      decline_code: "processing_error",
      message: "An error occurred while processing your card. Try again in a little bit.",
    },
  },
  {
    ...visa,
    number: "4000000000000341",
    alias: "pm_card_chargeCustomerFail",
    purpose: "can be saved, and its payments fail",
    declined: { at: "charge", ...declined("generic_decline") },
  },
  {
    ...visa,
    number: "4000002500003155",
    alias: "pm_card_authenticationRequiredOnSetup",
    purpose: "needs authentication once",
    authentication: "setup",
  },
  {
    ...visa,
    number: "4000002760003184",
    alias: "pm_card_authenticationRequired",
    purpose: "needs authentication for every payment",
    authentication: "always",
  },
  {
    ...visa,
    number: "4000008260003178",
    alias: "pm_card_authenticationRequiredChargeDeclinedInsufficientFunds",
    purpose: "needs authentication, then has insufficient funds",
    authentication: "always",
    declined: { at: "charge", ...declined("insufficient_funds", "Your card has insufficient funds.") },
  },
  {
    ...visa,
    number: "4000000000000259",
    alias: "pm_card_createDispute",
    purpose: "pays, and disputes the payment",
    disputed: "fraudulent",
  },
  {
    ...visa,
    number: "4000000000002685",
    alias: "pm_card_createDisputeProductNotReceived",
    purpose: "pays, and disputes it as not received",
    disputed: "product_not_received",
  },
  { ...visa, number: "4000056655665556", funding: "debit", alias: "pm_card_visa_debit", purpose: "succeeds" },
  ...(
    [
      ["5555555555554444", "mastercard", "credit", "pm_card_mastercard"],
      ["5200828282828210", "mastercard", "debit", "pm_card_mastercard_debit"],
      ["5105105105105100", "mastercard", "prepaid", "pm_card_mastercard_prepaid"],
      ["378282246310005", "amex", "credit", "pm_card_amex"],
      ["6011111111111117", "discover", "credit", "pm_card_discover"],
      ["3056930009020004", "diners", "credit", "pm_card_diners"],
      ["3566002020360505", "jcb", "credit", "pm_card_jcb"],
      ["6200000000000005", "unionpay", "credit", "pm_card_unionpay"],
    ] as const
  ).map(([number, brand, funding, alias]) => ({ number, brand, funding, alias, purpose: "succeeds" })),
];

/** Other names Stripe has for the same cards. */
const ALIASES = new Map([
  ["pm_card_chargeDeclined", "pm_card_visa_chargeDeclined"],
  ["pm_card_chargeDeclinedInsufficientFunds", "pm_card_visa_chargeDeclinedInsufficientFunds"],
  ["pm_card_threeDSecure2Required", "pm_card_authenticationRequired"],
]);

/** The card with this number; spaces do not count. */
export function findTestCard(number: string): TestCard | undefined {
  const digits = number.replaceAll(/[\s-]/g, "");
  return TEST_CARDS.find((card) => card.number === digits);
}

/** The card of a ready-made payment method: `pm_card_visa` */
export function cardOfAlias(alias: string): TestCard | undefined {
  return TEST_CARDS.find((card) => card.alias === (ALIASES.get(alias) ?? alias));
}

/** What a stored card is recognized by, since its number is not kept. */
export function fingerprintOf({ number }: TestCard): string {
  return `sandbox${number.slice(-9)}`;
}

export function cardOfFingerprint(fingerprint: string): TestCard {
  const card = TEST_CARDS.find((known) => fingerprintOf(known) === fingerprint);
  if (!card) throw new Error(`No test card has the fingerprint ${fingerprint}`);
  return card;
}
