import type { ZxcvbnFactory } from "@zxcvbn-ts/core";
import type { App } from "../http/context.server.ts";
import { type Failure, type FieldFailure, failure } from "../http/errors.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { AUTH_LIMITS } from "./limits.ts";

export interface PasswordOwner {
  name: string;
  email: string;
  product: string;
}

/** On zxcvbn's scale of 0 to 4: from 3 on it resists an attack on a stolen table. */
const LEAST_SCORE = 3;
/** The work grows with the square of the length, and the start is enough. */
const ESTIMATED_LENGTH = 24;
/** Shorter words are in too many good passwords by chance. */
const LEAST_WORD = 3;
/** Characters besides its owner's own words. */
const LEAST_REST = 8;

let estimator: Promise<ZxcvbnFactory> | undefined;

/** Loaded on first use: its word lists are a third of all the code. */
async function openEstimator(): Promise<ZxcvbnFactory> {
  const [{ ZxcvbnFactory }, common, english] = await Promise.all([
    import("@zxcvbn-ts/core"),
    import("@zxcvbn-ts/language-common"),
    import("@zxcvbn-ts/language-en"),
  ]);
  return new ZxcvbnFactory({
    dictionary: { ...common.dictionary, ...english.dictionary },
    graphs: common.adjacencyGraphs,
    maxLength: ESTIMATED_LENGTH,
  });
}

/** Too common, or made of its owner's own words (NIST SP 800-63B-4 §3.1.1.2). */
export async function passwordProblem(password: string, owner: PasswordOwner): Promise<string | null> {
  const words = wordsOf(owner);
  if (withoutWords(password.toLowerCase(), words).length < LEAST_REST)
    return "Choose a password that isn’t just your name, your email address, or our name";
  estimator ??= openEstimator();
  return (await estimator).check(password, words).score < LEAST_SCORE
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

/** Failures: 400 of the field `password`; 429 too many by this client. */
export function judgeNewPassword(
  app: Pick<App, "config" | "db" | "log">,
  client: string,
  password: string,
  owner: Pick<PasswordOwner, "name" | "email">,
): Promise<{ ok: true } | Failure | FieldFailure> {
  return withLimit(app, AUTH_LIMITS.passwordChecksByClient, client, async () => {
    const problem = await passwordProblem(password, { ...owner, product: app.config.site.product });
    return problem ? { ...failure(400, problem), field: "password" } : { ok: true };
  });
}
