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
export function sharePicturePath({ path }: { path: string }): string {
  return `/og/${path.slice(1) || "home"}.png`;
}

/** The picture in words, for those who do not see it. */
export function describeSharePicture({ line, amount, label }: SharePicture): string {
  return `A bank line, ${line} ${amount}, with a label stuck on it: ${label}`;
}
