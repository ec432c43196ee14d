import { type Dice, rollDice } from "../dice.ts";

/** A waiting line before some equal servers, in any unit of time. */
export interface Queue {
  servers: number;
  /** How many arrive in a unit of time. */
  arrivals: number;
  /** How long one takes on average. */
  service: number;
}

/** Used share of the servers: from 1 on the line grows without end. */
const utilisationOf = ({ servers, arrivals, service }: Queue) => (arrivals * service) / servers;

/**
 * The probability that one has to wait at all, when people come by chance and take times by chance (M/M/c): Erlang's C formula,
 * from the recursion of his B formula, which does not overflow.
 */
export function probabilityOfWaiting(queue: Queue): number {
  const offered = queue.arrivals * queue.service;
  let blocked = 1;
  for (let servers = 1; servers <= queue.servers; servers++)
    blocked = (offered * blocked) / (servers + offered * blocked);
  return blocked / (1 - utilisationOf(queue) * (1 - blocked));
}

/** How long one waits on average before being served (M/M/c). */
export function meanWait(queue: Queue): number {
  return probabilityOfWaiting(queue) / (queue.servers / queue.service - queue.arrivals);
}

/** How long a share of all wait at most (M/M/c), such as 0.99. */
export function waitOfShare(queue: Queue, share: number): number {
  const late = probabilityOfWaiting(queue);
  return late <= 1 - share
    ? 0
    : Math.log(late / (1 - share)) / (queue.servers / queue.service - queue.arrivals);
}

/** How long one waits on average when every service takes the same time, before one server (M/D/1: Pollaczek and Khinchine). */
export function meanWaitOfEqual({ arrivals, service }: Omit<Queue, "servers">): number {
  const used = arrivals * service;
  return (used * service) / (2 * (1 - used));
}

/** A time with this mean. */
export type Times = (dice: Dice, mean: number) => number;
export const byChance: Times = (dice, mean) => -mean * Math.log(1 - dice());
export const allEqual: Times = (_, mean) => mean;

/**
 * Simulates the line for so many, first come, first served. The first tenth is not counted: it meets an empty line.
 *
 * @returns how long each waited before being served
 */
export function simulateWaits(queue: Queue, times: Times, count: number, seed: number): number[] {
  const dice = rollDice(seed);
  /** When each server is free. */
  const freeAt = new Float64Array(queue.servers);
  const waits: number[] = [];
  let now = 0;
  for (let index = 0; index < count; index++) {
    now += byChance(dice, 1 / queue.arrivals);
    const server = firstOf(freeAt);
    const begin = Math.max(now, freeAt[server] ?? 0);
    freeAt[server] = begin + times(dice, queue.service);
    if (index >= count / 10) waits.push(begin - now);
  }
  return waits;
}

function firstOf(times: Float64Array): number {
  let first = 0;
  for (let index = 1; index < times.length; index++)
    if ((times[index] ?? 0) < (times[first] ?? 0)) first = index;
  return first;
}

export const meanOf = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The value that a share of all do not exceed. */
export function shareOf(values: readonly number[], share: number): number {
  return Float64Array.from(values).sort()[Math.ceil(values.length * share) - 1] ?? Number.NaN;
}
