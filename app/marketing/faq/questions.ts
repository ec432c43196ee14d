import { buyingEarly, type FeatureStates, openness, stateOfTheApp } from "../../entitlements/features.ts";
import { accountOffer, WAITLIST_OFFER } from "../../ui/offer.ts";
import type { NavigationLink, Site } from "../../ui/site.ts";
import { whereItWorks } from "../where-it-works.ts";

export type FaqParagraph = string | (string | NavigationLink)[];

/** Ids never change, because answers are linked to. */
export interface FaqQuestion {
  id: string;
  question: string;
  answer: FaqParagraph[];
  more?: NavigationLink;
}

const CSV_BANKING = "CSV\u00a0+\u00a0Banking";

/** By how many features are open; each leads to a link. */
const READY = {
  none: (today: string) =>
    `Not yet. It’s in beta, phase 1. Today you can ${today}. The features aren’t live yet, but you can `,
  some: (today: string) =>
    `Partly. It’s in beta, phase 1. You can ${today}, and use what’s live. Without an account you can `,
  all: () =>
    "Yes. It’s in beta, phase 1, and every feature of both plans is live. Without an account you can ",
};
const TODAY = "open an account, buy a plan or redeem a promo code";
const TODAY_WITHOUT_PLANS = "open an account or redeem a promo code";
const NEXT = {
  none: "Each feature appears in every account whose plan includes it as it launches. There’s no date yet. ",
  some: "The rest appears in every account whose plan includes it as it launches. There’s no date for it yet. ",
  all: "",
};

/** Spec §2, FAQ. No answer names a price, because prices are the catalog's. */
export function faqQuestions(site: Site, features: FeatureStates, isSelling: boolean): FaqQuestion[] {
  const { product } = site;
  const ready = READY[openness(features)](isSelling ? TODAY : TODAY_WITHOUT_PLANS);
  return [
    {
      id: "own-categories",
      question: "Why do I have to create my own categories?",
      answer: [
        "Because only you know what a payment was for. “COSTCO WHSE #0482” may be groceries, gas or new tires. An app that guesses files all three under Groceries and leaves you to correct it.",
        `${product} asks you, once. You name your spending categories and income sources, and link keywords to them. From then on, every line that contains your keyword gets your label. We never guess: a line without a match shows “needs a name” until you add a keyword.`,
      ],
      more: { href: "/why-different", label: "Why We're Different" },
    },
    {
      id: "what-works-today",
      question: "Is it ready? What works today?",
      answer: [
        [ready, { href: "/#try-it", label: "label a sample statement" }, "."],
        [
          `${stateOfTheApp(features)} ${NEXT[openness(features)]}${isSelling ? "Rather not pay yet? " : ""}${WAITLIST_OFFER} `,
          { href: "/waitlist", label: "Join the waitlist" },
          `. ${accountOffer(isSelling)}`,
        ],
      ],
      more: { href: "/features", label: "What it will do" },
    },
    {
      id: "cost-and-cancelling",
      question: "What does it cost, and how do I cancel?",
      answer: [
        [
          "An account is free. Plans are paid monthly or yearly, and paying yearly is cheaper: see ",
          { href: "/pricing", label: "Pricing" },
          ". You see the full amount on Stripe’s page before you pay. With a promo code you pay nothing.",
        ],
        [
          "A plan renews until you cancel. Cancel any time on ",
          { href: "/dashboard", label: "your dashboard" },
          ", which also shows your renewal date. You keep the plan until the end of the period you’ve paid for.",
        ],
        ...(isSelling ? [`Why buy early? ${buyingEarly(null, features)}`] : []),
      ],
      more: { href: "/pricing", label: "Pricing" },
    },
    {
      id: "bank-data",
      question: "Is my bank data safe? What do you keep?",
      answer: [
        openness(features) === "none"
          ? "We have none. Nothing connects to a bank yet and you can’t upload a file. Before that changes, the privacy page will say what we store, where and for how long."
          : "The privacy page says what of your bank’s data we store, where and for how long.",
        "We keep your name, email address, a hash of your password, and your plan or promo code. Your card number goes to Stripe, never to us. These pages set no cookie and load no trackers. On your account page you can download everything we store about you, or delete it.",
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
    {
      id: "which-plan",
      question: "Which plan is for me, and does it work in my country?",
      answer: [
        `CSV Only is for people who download files from their bank: you upload one and every line is sorted into the categories you made. ${CSV_BANKING} also brings in transactions from your bank, so there is no file to download.${openness(features) === "none" ? " Both are still being built." : ""}`,
        whereItWorks(site, openness(features) === "none"),
        site.storeUrl
          ? "The desktop app is sold separately, by our partner store and under its terms. You pay once for a lifetime license."
          : "There will be a desktop app, sold separately: you pay once for a lifetime license. It is not on sale yet.",
      ],
      more: { href: "/pricing", label: "Compare them" },
    },
  ];
}

export function plainText(paragraph: FaqParagraph): string {
  if (typeof paragraph === "string") return paragraph;
  return paragraph.map((piece) => (typeof piece === "string" ? piece : piece.label)).join("");
}
