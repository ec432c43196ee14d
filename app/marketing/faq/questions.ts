import type { NavigationLink, Site } from "../../ui/site.ts";

/** Plain text, or pieces of text and links. */
export type FaqParagraph = string | (string | NavigationLink)[];

/** A question of the FAQ. Ids never change, because answers are linked to. */
export interface FaqQuestion {
  id: string;
  question: string;
  answer: FaqParagraph[];
  /** A page with more on the subject. */
  more?: NavigationLink;
}

/** The plan's name with no-break spaces. */
const CSV_BANKING = "CSV\u00a0+\u00a0Banking";

/** The six questions (spec §2, FAQ). No answer names a price, because prices are the catalogue's. */
export function faqQuestions({ product, supportEmail }: Site): FaqQuestion[] {
  return [
    {
      id: "own-categories",
      question: "Why must I make my own categories?",
      answer: [
        "Because only you know what a payment was for. “TESCO STORES 4412” may be the Sunday shop, a birthday cake or lunch at work. An app that guesses calls all of it Groceries, and you spend your evenings correcting it.",
        `${product} asks you instead, once. You name your spending categories and income sources and link keywords to them, which takes about ten minutes. After that, every line with your keyword carries your word. A line that matches nothing is never guessed: it stays yours to name.`,
      ],
      more: { href: "/why-different", label: "Why We're Different" },
    },
    {
      id: "what-works-today",
      question: "Is it finished? What works today?",
      answer: [
        "It is not finished. It is in beta, phase 1. Today you can make an account, choose a plan and pay for it, redeem a promo code, and see on your dashboard what you have and until when.",
        [
          "CSV Processing and the Banking API are being built. Each opens in the accounts whose plan includes it, as it arrives. We promise no date. If you would rather not pay before there is something to use, ",
          { href: "/waitlist", label: "join the waitlist" },
          ": it costs nothing.",
        ],
      ],
      more: { href: "/features", label: "What it will do" },
    },
    {
      id: "cost-and-cancelling",
      question: "What does it cost, and how do I cancel?",
      answer: [
        "An account is free. A plan is paid by the month or by the year, and a year costs less than twelve months. You pay on Stripe’s page, after seeing the whole amount, and a promo code charges nothing.",
        [
          "A plan renews until you cancel, and your dashboard says when. To cancel, write to ",
          { href: `mailto:${supportEmail}`, label: supportEmail },
          " from the address of your account; there is no button for it yet. You keep the plan until the end of the time you paid for. Ask within 14 days of a payment, and you get that payment back in full.",
        ],
      ],
      more: { href: "/pricing", label: "Pricing" },
    },
    {
      id: "bank-data",
      question: "Is my bank data safe? What do you keep?",
      answer: [
        "We have none of it. Nothing connects to a bank yet and no file can be uploaded, so there is no bank data of yours here to lose. Before that changes, the privacy page will say what is stored, where and for how long.",
        "What we keep is your name, your email address, a hash of your password, and which plan or promo code you hold. Your card goes to Stripe and never to us. These pages set no cookie and load no trackers. Your account page gives you a copy of all of it, and deletes it.",
      ],
      more: { href: "/privacy", label: "Privacy" },
    },
    {
      id: "mobile-app",
      question: "Is there a mobile app?",
      answer: [
        "Not yet available. This site works on a phone, in any browser, and asks you to install nothing. We promise no date for an app; when there is one, this answer changes.",
      ],
    },
    {
      id: "which-plan",
      question: `CSV Only, ${CSV_BANKING} or the desktop app: which one is for me?`,
      answer: [
        `CSV Only is for people who download files from their bank: you hand one over and get every line sorted into the categories you made. ${CSV_BANKING} is the same, and the lines also arrive from your bank by themselves, so that there is no file to fetch. Both parts are still coming.`,
        "The desktop app is something of its own. You pay once for a lifetime license, at an external store and under that store’s terms. It is not part of a plan, and no plan is part of it.",
      ],
      more: { href: "/pricing", label: "Compare them" },
    },
  ];
}

/** A paragraph without its links. */
export function plainText(paragraph: FaqParagraph): string {
  if (typeof paragraph === "string") return paragraph;
  return paragraph.map((piece) => (typeof piece === "string" ? piece : piece.label)).join("");
}
