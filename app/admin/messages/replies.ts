/** Edited before sending. */
export const REPLIES = [
  {
    name: "refund",
    label: "Refund is on its way",
    text: "Hello,\n\nwe have refunded your payment. Banks usually take 5 to 10 business days to show it, and an email with the amount is on its way to you.\n\nBest wishes",
  },
  {
    name: "card",
    label: "Payment failed",
    text: "Hello,\n\nyour bank declined the payment. You can update your card, or pay with another one, on your dashboard. Your plan goes on as soon as it is paid.\n\nBest wishes",
  },
  {
    name: "code",
    label: "Promo code",
    text: "Hello,\n\nyou redeem a promo code on your dashboard, under “Redeem a code”. If it says that the code is over or used up, write to us with the code, and we’ll look into it.\n\nBest wishes",
  },
  {
    name: "launch",
    label: "When does it open?",
    text: "Hello,\n\nthere is no date yet. You’ll get an email on the day a feature opens in your account, so there is nothing for you to do until then.\n\nBest wishes",
  },
] as const;
