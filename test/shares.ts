const TODAY = Math.floor(Date.now() / 86_400_000);

/** Divides what is too much for every run: each run has one share, and tomorrow's the next. @returns `name` for messages of failures */
export function todaysShare(shares: number): { name: string; has: (at: number) => boolean } {
  const today = TODAY % shares;
  return { name: `share ${today} of ${shares}`, has: (at) => (at + today) % shares === 0 };
}
