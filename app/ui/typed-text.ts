/** Without a width, including direction marks (UAX 44), and the empty Braille pattern. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Direction marks and zero-width separators, but not the joiners of letters and emoji and their variation selectors. */
const MARKS = /[\p{Bidi_Control}\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb]/gu;
/** No filler, no empty Braille pattern, no note without a head. */
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800\u{1d159}])[\p{L}\p{N}\p{P}\p{S}]/u;
/** What programs turn a hyphen into. */
const DASHES = /[\p{Pd}\u02d7\u2043\u2212\u2796]/gu;

/** They come along when text is copied from a page or a mail. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, "").trim();
}

/** For free text, such as a name: direction marks would change the text around it. */
export function withoutDirectionMarks(text: string): string {
  return text.replaceAll(MARKS, "").trim();
}

export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/** For a stranger's text in a mail: FSI and PDI (UAX 9) keep its direction from affecting ours. Pages use `<bdi>`. */
export function isolate(text: string): string {
  return text
    .split("\n")
    .map((line) => line && `\u2068${line.replaceAll(/\p{Bidi_Control}/gu, "")}\u2069`)
    .join("\n");
}

/** NFKC without invisible characters; dashes as `-`, digits as ASCII, Turkish İ and ı as i. Keeps case. Limit the length first. */
export function foldCode(text: string): string {
  return withoutInvisible(withoutInvisible(text).normalize("NFKD"))
    .replaceAll(/(?<=[Ii])\u0307+/g, "")
    .replaceAll("ı", "i")
    .normalize("NFC")
    .replaceAll(DASHES, "-")
    .replaceAll(/\p{Nd}/gu, digitOf)
    .trim();
}

/** Each script has its digits in a run of ten, starting at zero. */
function digitOf(digit: string): string {
  const codePoint = digit.codePointAt(0) ?? 0;
  let zero = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((codePoint - zero) % 10);
}
