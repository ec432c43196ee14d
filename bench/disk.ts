import { statfs } from "node:fs/promises";
import { tmpdir } from "node:os";

const GIGABYTE = 1e9;
/** What one of everything takes, with its indexes, and what the first count of the figures adds. */
const BYTES_EACH = 3_300;
/** For the log of what is written, and for sorting while indexes are made. */
const BYTES_BESIDE = 6 * GIGABYTE;
const WATCHED_MILLISECONDS = 1_000;

/** @throws when databases of these sizes would not fit beside what is on the disk */
export async function demandSpace(sizes: readonly number[]): Promise<void> {
  const needed = sizes.reduce((sum, size) => sum + size * BYTES_EACH, 0) + BYTES_BESIDE;
  const free = await freeBytes();
  if (free < needed)
    throw new Error(
      `${tmpdir()} has ${Math.round(free / GIGABYTE)} GB free, and it takes ${Math.round(needed / GIGABYTE)}`,
    );
}

/** Watches the disk that has temporary files. `end` says by how many gigabytes it was fuller at most, by whatever. */
export function watchDisk(): { end(): string } {
  let [first, least] = [Number.NaN, Number.POSITIVE_INFINITY];
  const look = async () => {
    const free = await freeBytes();
    if (Number.isNaN(first)) first = free;
    least = Math.min(least, free);
  };
  void look();
  const timer = setInterval(look, WATCHED_MILLISECONDS);
  return {
    end() {
      clearInterval(timer);
      return ((first - least) / GIGABYTE).toFixed(1);
    },
  };
}

async function freeBytes(): Promise<number> {
  const { bavail, bsize } = await statfs(tmpdir());
  return bavail * bsize;
}
