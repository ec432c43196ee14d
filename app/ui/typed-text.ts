/** Code points that have no ink and no width of their own, the marks of direction among them (UAX 44). */
const INVISIBLE = /\p{Default_Ignorable_Code_Point}/gu;
/** What other programs make of a hyphen: dashes, minus signs and the bullet of that shape. */
const DASHES = /[\p{Pd}\u02d7\u2043\u2212\u2796]/gu;

/** The text without what has no ink, which comes along when it is copied from a page or a mail, and without blanks around it. */
export function withoutInvisible(text: string): string {
  return text.replaceAll(INVISIBLE, "").trim();
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
