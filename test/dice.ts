/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export type Dice = () => number;

export function rollDice(seed: number): Dice {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** One of them. */
export function pick<Item>(dice: Dice, items: readonly Item[]): Item {
  return items[Math.floor(dice() * items.length)] as Item;
}

/** True that often, of one. */
export function chance(dice: Dice, share: number): boolean {
  return dice() < share;
}

/** In a random order. */
export function shuffled<Item>(items: readonly Item[], dice: Dice): Item[] {
  return items
    .map((item) => ({ item, at: dice() }))
    .sort((a, b) => a.at - b.at)
    .map(({ item }) => item);
}
