import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";

/** In a process of its own: what V8 has once seen stays with it. Prints how many times as long `nextTick` takes afterwards. */
const MEASURE = `
  import { setTimeout as sleep } from "node:timers/promises";
  import { setFlagsFromString } from "node:v8";
  import { runInNewContext } from "node:vm";
  import { giveBackMemory } from ${JSON.stringify(join(import.meta.dirname, "memory.server.ts"))};

  const ticks = (left, done) => (left === 0 ? done() : process.nextTick(ticks, left - 1, done));
  async function leastTime() {
    const times = [];
    for (let round = 0; round < 20; round++) {
      const begun = performance.now();
      await new Promise((done) => ticks(20_000, done));
      times.push(performance.now() - begun);
    }
    return Math.min(...times);
  }
  async function collect() {
    // Later, when nothing is queued.
    await sleep(1);
    runInNewContext("gc")({ execution: "sync", type: "major", flavor: "last-resort" });
  }

  await leastTime();
  const before = await leastTime();
  setTimeout(giveBackMemory);
  await sleep(1);
  setFlagsFromString("--expose-gc");
  for (let round = 0; round < 3; round++) await collect();
  console.log((await leastTime()) / before);
`;

test("queuing a tick takes no longer after memory was given back, then or later", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", MEASURE]);
  // Five times as long, without what is kept for it.
  expect(Number(stdout)).toBeLessThan(2.5);
});
