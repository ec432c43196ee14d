/** A rule made wrong: the text is there exactly once in the file, and one of the tests has to fail with the replacement. */
export interface Mutation {
  file: string;
  text: string;
  replacement: string;
  tests: readonly string[];
  /** Why no test can notice it: the layer that holds instead. */
  heldBy?: string;
}

/** Mutations of one file that the same tests have to notice. */
export function of(
  file: string,
  tests: readonly string[],
  ...changes: (readonly [text: string, replacement: string, heldBy?: string])[]
): Mutation[] {
  return changes.map(([text, replacement, heldBy]) => ({ file, tests, text, replacement, heldBy }));
}
