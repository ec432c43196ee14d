import type { PublicPage } from "../pages.ts";

/** Pixels: what every network shows whole. */
export const SHARE_PICTURE_SIZE = { width: 1200, height: 630 };

/** A headline in one line or two, and on one of its own the label it ends with, as on the pages. */
export interface SharedHeadline {
  text: string;
  label: string;
}

/** What the picture of a shared page shows: a headline, and a bank line with the label its owner wrote on it. */
export interface SharePicture {
  /** `null`: the tagline. */
  headline: SharedHeadline | null;
  line: string;
  /** As a statement prints it; spending has a minus sign. */
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

/** @throws for a public page nobody has thought of a picture for */
export function sharePictureOf({ path }: PublicPage): SharePicture {
  const picture = SHARE_PICTURES[path];
  if (!picture) throw new Error(`${path} has no share picture`);
  return picture;
}

/** As many characters stand on a headline's label in one line. */
export const LABEL_LENGTH = 18;

/** Any tagline as a headline: its last words, up to three and as far as they fit on a label. */
export function headlineOf(tagline: string): SharedHeadline {
  const words = tagline.replace(/\.$/, "").split(" ");
  const count =
    [3, 2].find((count) => words.length > count && words.slice(-count).join(" ").length <= LABEL_LENGTH) ?? 1;
  return { text: words.slice(0, -count).join(" "), label: words.slice(-count).join(" ") };
}

/** Where the picture is found on the site; `bin/pictures.ts` writes it there. */
export function sharePicturePath({ path }: PublicPage): string {
  return `/og/${path.slice(1) || "home"}.png`;
}

/** The picture in words, for those who do not see it. */
export function describeSharePicture({ line, amount, label }: SharePicture): string {
  return `A bank line, ${line} ${amount}, with a label stuck on it: ${label}`;
}
