/** In pixels; every network shows this size uncropped. */
export const SHARE_PICTURE_SIZE = { width: 1200, height: 630 };

/** A headline of one or two lines, and the label that ends it on a line of its own, as on the pages. */
export interface SharedHeadline {
  text: string;
  label: string;
}

/** The content of a share picture: a headline, and a bank line with its owner's label. */
export interface SharePicture {
  /** `null`: the headline of the site. */
  headline: SharedHeadline | null;
  line: string;
  /** As printed on a statement; spending has a minus sign. */
  amount: string;
  label: string;
}

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
export function describeSharePicture({ line, amount, label }: SharePicture): string {
  return `A bank line, ${line} ${amount}, with a label stuck on it: ${label}`;
}
