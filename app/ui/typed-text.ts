/** Invisible code points: those without a width, including direction marks (UAX 44), and the empty Braille pattern. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Direction marks and zero-width separators, but not the joiners of letters and emoji and their variation selectors. */
const MARKS = /[\p{Bidi_Control}\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb]/gu;
/** A letter, digit, sign or picture that is visible: no filler, no empty Braille pattern, no note without a head. */
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800\u{1d159}])[\p{L}\p{N}\p{P}\p{S}]/u;
/** What other programs turn a hyphen into: dashes, minus signs and the hyphen bullet. */
const DASHES = /[\p{Pd}\u02d7\u2043\u2212\u2796]/gu;

/** Removes invisible characters, which come along when text is copied from a page or a mail, and outer blanks. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, "").trim();
}

/** A line of free text, such as a name, without direction marks, which would change the text around it, and outer blanks. */
export function withoutDirectionMarks(text: string): string {
  return text.replaceAll(MARKS, "").trim();
}

/** Whether any character is visible. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/**
 * A stranger's text, within a text of ours without markup, such as a mail's: isolated by FSI and PDI (UAX 9), so that its
 * direction does not affect ours. Pages use `<bdi>`.
 */
export function isolate(text: string): string {
  return text
    .split("\n")
    .map((line) => line && `\u2068${line.replaceAll(/\p{Bidi_Control}/gu, "")}\u2069`)
    .join("\n");
}

/**
 * Normalizes a typed or pasted code: NFKC, no invisible characters, any dash as `-`, digits of any script as ASCII, the
 * Turkish i's (İ, ı) as those of other languages, no outer blanks. Keeps upper and lower case. Limit the length first:
 * normalizing takes longer for longer text.
 */
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
