import { ZxcvbnFactory } from "@zxcvbn-ts/core";
import * as common from "@zxcvbn-ts/language-common";
import * as english from "@zxcvbn-ts/language-en";

/** Whose password it will be: words that anybody who knows them would try first. */
export interface PasswordOwner {
  name: string;
  email: string;
  product: string;
}

/** How guessable a password may be, on zxcvbn's scale of 0 to 4: from 3 on it resists an attack on a stolen table. */
const LEAST_SCORE = 3;
/** Of a longer password its beginning is estimated, which is enough: the work grows with the square of the length. */
const ESTIMATED_LENGTH = 24;
/** Shorter words are in too many good passwords by chance. */
const LEAST_WORD = 3;
/** What must be left of a password without the words of its owner. */
const LEAST_REST = 8;

let estimator: ZxcvbnFactory | undefined;

/** Made for the first password: unpacking its word lists is a tenth of the work of a process's start. */
function estimate(password: string, words: string[]): number {
  estimator ??= new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    maxLength: ESTIMATED_LENGTH,
  });
  return estimator.check(password, words).score;
}

/**
 * What is wrong with a password of a proper length, or `null`: it is one that everybody tries, or is made of its owner's
 * own words (NIST SP 800-63B-4 §3.1.1.2: compare with common, expected and compromised ones; ask for no kinds of
 * characters).
 */
export function passwordProblem(password: string, owner: PasswordOwner): string | null {
  const words = wordsOf(owner);
  if (withoutWords(password.toLowerCase(), words).length < LEAST_REST)
    return "Choose a password that isn’t just your name, your email address or our name";
  return estimate(password, words) < LEAST_SCORE
    ? "Choose a password that’s harder to guess, such as four unrelated words"
    : null;
}

function wordsOf({ name, email, product }: PasswordOwner): string[] {
  const words = [name, email, product].flatMap((text) => [text, ...text.split(/[^\p{L}\p{N}]+/u)]);
  return [...new Set(words.map((word) => word.toLowerCase()))]
    .filter((word) => word.length >= LEAST_WORD)
    .sort((a, b) => b.length - a.length);
}

function withoutWords(password: string, words: string[]): string {
  return words.reduce((rest, word) => rest.replaceAll(word, ""), password);
}
