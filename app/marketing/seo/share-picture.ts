import type { PublicPage } from "../pages.ts";

/** In pixels; every network shows this size uncropped. */
export const SHARE_PICTURE_SIZE = { width: 1200, height: 630 };

/** A headline of one or two lines, and the label that ends it on a line of its own, as on the pages. */
export interface SharedHeadline {
  text: string;
  label: string;
}

/** The content of a share picture: a headline, and a bank line with its owner's label. */
export interface SharePicture {
  /** `null`: the tagline. */
  headline: SharedHeadline | null;
  line: string;
  /** As printed on a statement; spending has a minus sign. */
  amount: string;
  label: string;
}

const SHARE_PICTURES: Record<string, SharePicture> = {
  "/": { headline: null, line: "TESCO STORES 4412", amount: "−23.80", label: "Sunday shop" },
  "/features": {
    headline: { text: "Budgets, trends and goals in", label: "categories you named" },
    line: "SQ *CORNER COFFEE",
    amount: "−3.40",
    label: "Too much coffee",
  },
  "/why-different": {
    headline: { text: "They guess.", label: "You name." },
    line: "AMZN MKTPLACE 2K4",
    amount: "−34.90",
    label: "Mum’s birthday",
  },
  "/pricing": {
    headline: { text: "By the month or by the year,", label: "both figures shown" },
    line: "CARD PAYMENT",
    amount: "−12.00",
    label: "Worth it",
  },
  "/faq": {
    headline: { text: "Plain questions,", label: "plain answers" },
    line: "DIRECT DEBIT 0093",
    amount: "−7.50",
    label: "What was this again?",
  },
  "/contact": {
    headline: { text: "Write to us.", label: "A person answers." },
    line: "POST OFFICE 118",
    amount: "−1.65",
    label: "Letter to a friend",
  },
  "/privacy": {
    headline: { text: "What we keep, why,", label: "and for how long" },
    line: "NIGHT PHARMACY 07",
    amount: "−8.20",
    label: "Nobody’s business",
  },
  "/terms": {
    headline: { text: "The small print,", label: "in plain words" },
    line: "GYM MEMBERSHIP",
    amount: "−35.00",
    label: "Until I cancel",
  },
};

/** @throws for a public page that has no picture yet */
export function sharePictureOf({ path }: PublicPage): SharePicture {
  const picture = SHARE_PICTURES[path];
  if (!picture) throw new Error(`${path} has no share picture`);
  return picture;
}

/** The longest label that fits on one line of a headline, in characters. */
export const LABEL_LENGTH = 18;

/** Turns any tagline into a headline: the label takes up to three of its last words, as far as they fit. */
export function headlineOf(tagline: string): SharedHeadline {
  const words = tagline.replace(/\.$/, "").split(" ");
  const count =
    [3, 2].find((count) => words.length > count && words.slice(-count).join(" ").length <= LABEL_LENGTH) ?? 1;
  return { text: words.slice(0, -count).join(" "), label: words.slice(-count).join(" ") };
}

/** The URL path of the picture, which `bin/pictures.ts` generates. */
export function sharePicturePath({ path }: PublicPage): string {
  return `/og/${path.slice(1) || "home"}.png`;
}

/** The picture's alt text. */
export function describeSharePicture({ line, amount, label }: SharePicture): string {
  return `A bank line, ${line} ${amount}, with a label stuck on it: ${label}`;
}
