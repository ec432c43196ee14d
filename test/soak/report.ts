/** A line for each that is not what is wanted. */
export function unlike(found: Record<string, [has: unknown, wanted: unknown]>): string[] {
  return Object.entries(found).flatMap(([what, [has, wanted]]) =>
    has === wanted ? [] : [`${what}: ${has}, not ${wanted}`],
  );
}

/** Of the milliseconds that answers took: `half within 12 ms, 99 % within 40 ms, all within 80 ms` */
export function describeTimes(milliseconds: readonly number[]): string {
  const sorted = milliseconds.toSorted((one, other) => one - other);
  const at = (share: number) => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
  return `half within ${at(0.5)} ms, 99 % within ${at(0.99)} ms, all within ${at(1)} ms`;
}
