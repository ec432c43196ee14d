import { buyingEarly, type FeatureStates, openness } from "../../entitlements/features.ts";
import { openAndClosed } from "../../entitlements/state-of-the-app.ts";
import { WAITLIST_OFFER } from "../../ui/offer.ts";
import type { NavigationLink, Site } from "../../ui/site.ts";
import { whereItWorks } from "./where-it-works.ts";

export type FaqParagraph = string | (string | NavigationLink)[];

/** Ids never change, because answers are linked to. */
export interface FaqQuestion {
  id: string;
  question: string;
  answer: FaqParagraph[];
  more?: NavigationLink;
}

const CSV_BANKING = "CSV\u00a0+\u00a0Banking";

const READY = {
  none: "Not yet. It’s in beta, phase 1.",
  some: "Partly. It’s in beta, phase 1.",
  all: "Yes. It’s in beta, phase 1, and every feature of both plans is live.",
};
const NO_DATE = {
  none: " There’s no date yet.",
  some: " There’s no date for the rest yet.",
  all: "",
};

/** Spec §2, FAQ. The first paragraph is a short answer of its own. No answer names a price, because prices are the catalog's. */
export function faqQuestions(site: Site, features: FeatureStates, isSelling: boolean): FaqQuestion[] {
  const state = openness(features);
  return [
    {
      id: "own-categories",
      question: "Why do I have to create my own categories?",
      answer: [
        "Because only you know what a payment was for. COSTCO WHSE, COSTCO GAS and COSTCO TIRE can be your groceries, your commute and new tires. An app that guesses files all three under Groceries and leaves you to correct it.",
        "You name each category once and link keywords to it. From then on, every line with your keyword gets your label. We never guess: a line without a match shows “needs a name” until you add a keyword.",
      ],
      more: { href: "/why-different", label: "Why We're Different" },
    },
    {
      id: "what-works-today",
      question: "Is it ready? What works today?",
      answer: [
        `${READY[state]} ${openAndClosed(features)}${NO_DATE[state]}`,
        [
          "Today you can ",
          { href: "/#try-it", label: "label a sample statement" },
          ` without an account. With one, you can keep your categories${isSelling ? ", buy a plan" : ""} or redeem a promo code${state === "none" ? "" : ", and use what’s live"}.${state === "all" ? "" : " Each feature appears in every account whose plan includes it as it launches."}`,
        ],
        [
          `${isSelling ? "Rather not pay yet? " : ""}${WAITLIST_OFFER} `,
          { href: "/waitlist", label: "Join the waitlist" },
          ".",
        ],
      ],
      more: { href: "/features", label: "What it will do" },
    },
    {
      id: "which-plan",
      question: "Which plan is for me, and does it work in my country?",
      answer: [
        `CSV Only is for people who download files from their bank: you upload one, and every line is sorted into the categories you made. ${CSV_BANKING} also brings in transactions from your bank, so there’s no file to download.${state === "none" ? " Both are still being built." : ""}`,
        whereItWorks(site, state === "none"),
        site.storeUrl
          ? "The desktop app is sold separately, by our partner store and under its terms. You pay once for a lifetime license."
          : "There will be a desktop app, sold separately: you pay once for a lifetime license. It is not on sale yet.",
      ],
      more: { href: "/pricing", label: "Compare them" },
    },
    {
      id: "cost-and-cancelling",
      question: "What does it cost, and how do I cancel?",
      answer: [
        "An account is free. You pay for a plan monthly, or yearly for less, and see the full amount on Stripe’s page before you pay. With a promo code you pay nothing.",
        [
          "A plan renews until you cancel, any time, on ",
          { href: "/dashboard", label: "your dashboard" },
          ". You keep it until the end of the period you’ve paid for.",
        ],
        ...(isSelling ? [`Why buy early? ${buyingEarly(null, features)}`] : []),
      ],
      more: { href: "/pricing", label: "Pricing" },
    },
    {
      id: "bank-data",
      question: "Is my bank data safe? What do you keep?",
      answer: [
        state === "none"
          ? "We have none. Nothing connects to a bank yet and you can’t upload a file. Before that changes, the privacy page will say what we store, where and for how long."
          : "The privacy page says what of your bank’s data we store, where and for how long.",
        "We keep your name, email address, a hash of your password, your plan or promo code, and the categories you save. Your card number goes to Stripe, never to us. These pages set no cookie and load no trackers. On your account page you can download everything we store about you, or delete it.",
      ],
      more: { href: "/privacy", label: "Privacy" },
    },
    {
      id: "mobile-app",
      question: "Is there a mobile app?",
      answer: [
        "Not yet available. The website works in any phone browser, with nothing to install. There’s no date for an app yet.",
      ],
    },
  ];
}

export function plainText(paragraph: FaqParagraph): string {
  if (typeof paragraph === "string") return paragraph;
  return paragraph.map((piece) => (typeof piece === "string" ? piece : piece.label)).join("");
}
