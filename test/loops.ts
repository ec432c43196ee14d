import { setTimeout as sleep } from "node:timers/promises";

/** Works through the items, `atOnce` at a time. */
export async function eachOf<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const left = items.values();
  const workThrough = async () => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, workThrough));
}

/** Repeats work in `times` parallel loops. @returns a function that ends them */
export function goOn(times: number, work: () => Promise<unknown>): () => Promise<unknown> {
  let isOver = false;
  const all = Array.from({ length: times }, async () => {
    while (!isOver) await work().catch(() => sleep(100));
  });
  return () => {
    isOver = true;
    return Promise.all(all);
  };
}
