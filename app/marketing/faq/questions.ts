import type { Site } from "../../site.ts";

export interface FaqQuestion {
  id: string;
  question: string;
  /** Paragraphs of plain text. */
  answer: string[];
}

/** What people ask before they start. */
export function faqQuestions(_site: Site): FaqQuestion[] {
  return [
    {
      id: "mobile",
      question: "Is there a mobile app?",
      answer: ["Not yet available. The site works on a phone, and we will write here when an app exists."],
    },
    {
      id: "free",
      question: "Can I try it without paying?",
      answer: [
        "Signing up is free, and a promo code gives you a plan for its time. Money moves only on the payment page.",
      ],
    },
  ];
}
