import { amountText } from "../../ui/bank-line.ts";
import { sampleTotals } from "../../ui/sample-lines.ts";

/** In pixels; every network shows this size uncropped. */
export const SHARE_PICTURE_SIZE = { width: 1200, height: 630 };

/** A headline of one or two lines, and the label that ends it on a line of its own, as on the pages. */
export interface SharedHeadline {
  text: string;
  label: string;
}

/** A bank line with its owner's label. */
export interface SharedLine {
  line: string;
  /** As printed on a statement; spending has a minus sign. */
  amount: string;
  label: string;
}

/** The content of a share picture: a headline, and a bank line, or the sample month's largest totals. */
export interface SharePicture {
  /** `null`: the headline of the site. */
  headline: SharedHeadline | null;
  shows: SharedLine | "totals";
}

/** The categories that most was spent on in the sample month, as the app shows them. */
export const SHARED_TOTALS = sampleTotals()
  .filter(({ minorUnits }) => minorUnits < 0)
  .slice(0, 3);

/** The longest label that fits on one line of a headline, in characters. */
export const LABEL_LENGTH = 18;

/** Splits any headline: the label takes up to three of its last words, as far as they fit. */
export function headlineOf(headline: string): SharedHeadline {
  const words = headline.replace(/\.$/, "").split(" ");
  const count =
    [3, 2].find((count) => words.length > count && words.slice(-count).join(" ").length <= LABEL_LENGTH) ?? 1;
  return { text: words.slice(0, -count).join(" "), label: words.slice(-count).join(" ") };
}

/** The URL path of the picture, which `bin/pictures.ts` generates. */
export function sharePicturePath({ path }: { path: string }): string {
  return `/og/${path.slice(1) || "home"}.png`;
}

/** The picture's alt text. */
export function describeSharePicture({ headline, shows }: SharePicture): string {
  if (shows === "totals")
    return `A month in ${headline?.label ?? "its owner’s words"}, each total under its label: ${SHARED_TOTALS.map(({ label, minorUnits }) => `${label} ${amountText(minorUnits)}`).join(", ")}`;
  const { line, amount, label } = shows;
  return `A bank line, ${line} ${amount}, with a label stuck on it: ${label}`;
}
