/** The values are stored, and used in links such as /contact?topic=business. */
export const TOPICS = [
  { value: "account", label: "Account and sign-in" },
  { value: "payment", label: "Payment or plan" },
  { value: "promo", label: "Promo code" },
  { value: "idea", label: "Idea or bug" },
  { value: "business", label: "Custom business solution" },
  { value: "other", label: "Something else" },
] as const;

export type Topic = (typeof TOPICS)[number]["value"];

export function findTopic(value: unknown): (typeof TOPICS)[number] | undefined {
  return TOPICS.find((topic) => topic.value === value);
}
