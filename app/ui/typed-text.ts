/** Code points without ink: those without a width, the marks of direction among them (UAX 44), and the empty pattern of Braille. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** Marks of direction, and separators without a width. What joins letters and emoji, and chooses their form, is none of these. */
const MARKS = /[\p{Bidi_Control}\u00ad\u180e\u200b\u2060-\u2064\u206a-\u206f\ufeff\ufff9-\ufffb]/gu;
/** A letter, digit, sign or picture with ink: neither a filler nor the empty pattern of Braille nor a note without a head. */
const VISIBLE = /(?![\p{Default_Ignorable_Code_Point}\u2800\u{1d159}])[\p{L}\p{N}\p{P}\p{S}]/u;
/** What other programs make of a hyphen: dashes, minus signs and the bullet of that shape. */
const DASHES = /[\p{Pd}\u02d7\u2043\u2212\u2796]/gu;

/** The text without what has no ink, which comes along when it is copied from a page or a mail, and without blanks around it. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, "").trim();
}

/** A line of somebody's own words, such as a name, without marks that change what stands beside it, and blanks around it. */
export function cleanLine(text: string): string {
  return text.replaceAll(MARKS, "").trim();
}

/** Whether there is anything to be seen. */
export function isVisible(text: string): boolean {
  return VISIBLE.test(text);
}

/**
 * What a stranger wrote, for a text of ours without markup, such as a mail's: set apart by FSI and PDI (UAX 9), so that its
 * direction is its own and ends with it. Pages have `<bdi>`.
 */
export function isolate(text: string): string {
  return text
    .split("\n")
    .map((line) => line && `\u2068${line.replaceAll(/\p{Bidi_Control}/gu, "")}\u2069`)
    .join("\n");
}

/**
 * A typed or pasted code in one spelling: NFKC, without what is invisible, any dash as `-`, digits of any script as ASCII ones,
 * the Turkish i's (İ, ı) as those of other languages, and without blanks around it. Upper and lower case stay. Bound its length
 * first: normalising takes longer for longer text.
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

/** Digits stand in runs of ten, each from its zero on. */
function digitOf(digit: string): string {
  const codePoint = digit.codePointAt(0) ?? 0;
  let zero = codePoint;
  while (/\p{Nd}/u.test(String.fromCodePoint(zero - 1))) zero--;
  return String((codePoint - zero) % 10);
}
