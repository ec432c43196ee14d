/** Why somebody cancels: Stripe's values, in plain words. */
export const FEEDBACK = {
  too_expensive: "It costs too much",
  missing_features: "A feature I need is missing",
  unused: "I don’t use it enough",
  switched_service: "I found something else",
  too_complex: "It’s too hard to use",
  low_quality: "It didn’t work well",
  customer_service: "The support wasn’t good",
  other: "Something else",
} as const;

export type Feedback = keyof typeof FEEDBACK;

/** In UTF-16 code units. */
export const COMMENT_MAX_LENGTH = 500;

/** Whether an untrusted value is one of Stripe's. */
export function isFeedback(value: unknown): value is Feedback {
  return typeof value === "string" && Object.hasOwn(FEEDBACK, value);
}
