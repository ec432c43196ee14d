import { expect, test } from "vitest";
import { eventually } from "../test/http.ts";
import { createBackgroundLoop } from "./background-loop.server.ts";

/** A loop each of whose rounds lasts until it is told to end. */
function loopOfHeldRounds() {
  const rounds: PromiseWithResolvers<void>[] = [];
  const errors: unknown[] = [];
  let underWay = 0;
  let most = 0;
  const loop = createBackgroundLoop(
    async () => {
      most = Math.max(most, ++underWay);
      const round = Promise.withResolvers<void>();
      rounds.push(round);
      await round.promise.finally(() => underWay--);
    },
    { pauseMilliseconds: 1, onError: (error) => errors.push(error) },
  );
  return { loop, rounds, errors, most: () => most };
}

test("rounds follow each other and never overlap, however often it is woken", async () => {
  const { loop, rounds, most } = loopOfHeldRounds();
  const started = loop.start();
  for (let round = 0; round < 5; round++) {
    await eventually(async () => rounds.length === round + 1, `round ${round} begins`);
    for (let time = 0; time < 3; time++) loop.wake();
    rounds[round]?.resolve();
  }
  await started;
  expect(most()).toBe(1);
  const stopped = loop.stop();
  rounds.at(-1)?.resolve();
  await stopped;
});

test("stopping waits for the round under way, and none begins after it", async () => {
  const { loop, rounds } = loopOfHeldRounds();
  void loop.start();
  await eventually(async () => rounds.length === 1, "the first round begins");
  loop.wake();
  let hasStopped = false;
  const stopped = loop.stop().then(() => {
    hasStopped = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(hasStopped).toBe(false);
  rounds[0]?.resolve();
  await stopped;
  loop.wake();
  await loop.start();
  expect(rounds).toHaveLength(1);
});

test("a round that fails is reported, and the next one comes", async () => {
  const { loop, rounds, errors } = loopOfHeldRounds();
  void loop.start();
  await eventually(async () => rounds.length === 1, "the first round begins");
  rounds[0]?.reject(new Error("no"));
  await eventually(async () => rounds.length === 2, "the second round begins");
  expect(errors).toEqual([new Error("no")]);
  const stopped = loop.stop();
  rounds[1]?.resolve();
  await stopped;
});
