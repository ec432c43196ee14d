import type { PublicPage } from "../pages.ts";

/** Pixels: what every network shows whole. */
export const SHARE_PICTURE_SIZE = { width: 1200, height: 630 };

/** What the picture of a shared page shows: a headline, and a bank line with the label its owner wrote on it. */
export interface SharePicture {
  /** In one line or two; `null`: the tagline. */
  headline: string | null;
  line: string;
  /** As a statement prints it; spending has a minus sign. */
  amount: string;
  label: string;
}

const SHARE_PICTURES: Record<string, SharePicture> = {
  "/": { headline: null, line: "TESCO STORES 4412", amount: "−23.80", label: "Sunday shop" },
  "/features": {
    headline: "Budgets, trends and goals in categories you named",
    line: "SQ *CORNER COFFEE",
    amount: "−3.40",
    label: "Too much coffee",
  },
  "/why-different": {
    headline: "Other apps guess.\nHere you say.",
    line: "AMZN MKTPLACE 2K4",
    amount: "−34.90",
    label: "Mum’s birthday",
  },
  "/pricing": {
    headline: "By the month or by the year,\nboth figures shown",
    line: "CARD PAYMENT",
    amount: "−29.99",
    label: "Worth it",
  },
  "/faq": {
    headline: "Plain questions, plain answers",
    line: "DIRECT DEBIT 0093",
    amount: "−12.00",
    label: "What was this again?",
  },
  "/contact": {
    headline: "Write to us.\nA person answers.",
    line: "POST OFFICE 118",
    amount: "−1.65",
    label: "Letter to a friend",
  },
  "/privacy": {
    headline: "What we keep, why, and for how long",
    line: "NIGHT PHARMACY 07",
    amount: "−8.20",
    label: "Nobody’s business",
  },
  "/terms": {
    headline: "The small print, in plain words",
    line: "GYM MEMBERSHIP",
    amount: "−35.00",
    label: "Until I cancel",
  },
};

/** @throws for a public page nobody has thought of a picture for */
export function sharePictureOf({ path }: PublicPage): SharePicture {
  const picture = SHARE_PICTURES[path];
  if (!picture) throw new Error(`${path} has no share picture`);
  return picture;
}

/** Where the picture is found on the site; `bin/pictures.ts` writes it there. */
export function sharePicturePath({ path }: PublicPage): string {
  return `/og/${path.slice(1) || "home"}.png`;
}

/** The picture in words, for those who do not see it. */
export function describeSharePicture({ line, amount, label }: SharePicture): string {
  return `A bank line, ${line} ${amount}, with a label stuck on it: ${label}`;
}
