/** How long each piece of work took in a round, in milliseconds, by size from the smallest. */
export type Round = number[][];

/** The value below or at which this part of all values lies. NaN of none */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.ceil(sorted.length * part) - 1] ?? Number.NaN;
}

/** Of all rounds together, by size. */
export function pool(rounds: readonly Round[]): number[][] {
  return (rounds[0] ?? []).map((_, size) => rounds.flatMap((round) => round[size] ?? []));
}

/** The middle of the rounds' ratios of the largest to the smallest: what happens in one round happens to both. */
export function ratioOfMedians(rounds: readonly Round[]): number {
  return quantile(
    rounds.map((round) => quantile(round.at(-1) ?? [], 0.5) / quantile(round[0] ?? [], 0.5)),
    0.5,
  );
}

/** Of the largest to the smallest, of all rounds together: that of one round would be nearly its slowest, which is chance. */
export function ratioOfTails(rounds: readonly Round[]): number {
  const pooled = pool(rounds);
  return quantile(pooled.at(-1) ?? [], 0.99) / quantile(pooled[0] ?? [], 0.99);
}
