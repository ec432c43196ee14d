/** Published in this repository: the sandbox's, and the samples of .env.example and deploy/. */
const PUBLISHED = new Set(
  `sk_test_sandbox whsec_sandbox whsec_sandbox_only_never_in_production
  sandbox-google-secret sandbox-facebook-secret sandbox-google sandbox-facebook
  password owner site changeme change-me change_me placeholder example`.split(/\s+/),
);

const FILLER =
  /change|pass(word|phrase)?|passwort|secret|default|example|sample|placeholder|insecure|unsafe|production|development|testing|test|todo|fixme|please|replace|insert|enter|your|this|here|with|value|string|random|generated?|super|very|long|safe|auth|session|backup|cookie|admin|root|user|login|letmein|welcome|hello|world|monkey|dragon|foo|bar|baz|lorem|ipsum|key|not|must|be|it|me|my|in|is|to|a|qwertyuiop|qwertzuiop|qwerty|qwertz|asdfghjkl|zxcvbnm|yxcvbnm|abcdef|deadbeef|cafebabe|01234567(89)?|1234567890?/g;

/** Letters and digits besides filler. Fewer could be guessed. */
const LEAST_LEFT = 16;
/** A longer random secret hardly repeats three characters, in any alphabet. */
const LEAST_LENGTH_TO_REPEAT = 6;
const LEAST_DISTINCT_SHARE = 0.75;

export function isPublished(secret: string): boolean {
  return PUBLISHED.has(secret.trim().toLowerCase());
}

/** Blank, or repeats one character or a few words. */
export function isRepetitive(secret: string): boolean {
  const text = secret.toLowerCase().replace(/\s/g, "");
  if (new Set(text).size < 2) return true;
  if (text.length < LEAST_LENGTH_TO_REPEAT) return false;
  const parts = Array.from({ length: text.length - 2 }, (_, at) => text.slice(at, at + 3));
  return new Set(parts).size < parts.length * LEAST_DISTINCT_SHARE || isRun(text);
}

/** Mostly placeholder words or an alphabet. */
export function isFiller(secret: string): boolean {
  const left = secret
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "")
    .replace(FILLER, "");
  return left.length < LEAST_LEFT;
}

/** Most characters equal or neighbor the one before, as in abcdef or 987654. */
function isRun(text: string): boolean {
  const codes = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const steps = codes.slice(1).map((code, at) => Math.abs(code - (codes[at] ?? 0)));
  return steps.filter((step) => step <= 1).length > steps.length * 0.7;
}
