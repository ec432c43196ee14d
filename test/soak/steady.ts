import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { memoryOf } from "../../bench/cost-process.ts";
import { pick, rollDice } from "../dice.ts";
import { asClient } from "../http.ts";
import { medianOf } from "../median.ts";
import { openSite, postAt } from "../running-site.ts";
import { createSignedInUsers, PASSWORD } from "../users.ts";
import { contactMessage } from "./mixed-load.ts";
import { describeTimes } from "./report.ts";

const REQUESTS_A_SECOND = 50;
const WRITES_A_SECOND = 2;
/** Memory counts after this share of the time, when all code is loaded and all caches are full. */
const WARM_UP = 1 / 3;
const LARGEST_GROWTH = 1.05;
const SAMPLE_MILLISECONDS = 5_000;
const CODE = "STEADY";

const READS = "/ /pricing /features /faq /waitlist /blog /changelog /login /no-such-page".split(" ");
const READS_SIGNED_IN = ["/dashboard", "/subscription", "/account", "/test-promo"];

/**
 * Sends one process a steady rate of requests and watches its memory. Requests do not wait for earlier answers.
 *
 * @returns a line for each unexpected answer, and for memory that grew
 */
export async function steady(seconds: number, seed: number): Promise<string[]> {
  const dice = rollDice(seed);
  await using site = await openSite(1);
  await site.pool.query("INSERT INTO promo_codes (code, duration_type) VALUES ($1, 'months')", [CODE]);
  const people = await createSignedInUsers(site.pool, Math.ceil(seconds * WRITES_A_SECOND));
  const post = (path: string, fields: Record<string, string>, cookie?: string) =>
    postAt(site.origin, site, path, fields, cookie);
  const writes = [
    () => post("/register", { name: "Ada", email: newAddress(), password: PASSWORD }),
    () => post("/waitlist", { name: "Ada", email: newAddress() }),
    () => post("/subscription", { form: "promo", code: CODE }, people.pop()?.cookie),
    () => post("/contact", contactMessage(newAddress())),
  ];
  const read = () => {
    const cookie = dice() < 0.5 ? pick(dice, people.slice(0, 100)).cookie : undefined;
    return fetch(site.origin + pick(dice, cookie ? READS_SIGNED_IN : READS), {
      redirect: "manual",
      headers: { ...asClient(), ...(cookie && { cookie }) },
      signal: AbortSignal.timeout(60_000),
    });
  };

  const times: number[] = [];
  const odd = new Map<string, number>();
  const count = (what: string) => odd.set(what, (odd.get(what) ?? 0) + 1);
  const send = async (request: () => Promise<Response>) => {
    const begun = performance.now();
    try {
      const answer = await request();
      await answer.arrayBuffer();
      const { pathname } = new URL(answer.url);
      if (answer.status >= 400 && pathname !== "/no-such-page") count(`${pathname} ${answer.status}`);
    } catch (error) {
      count(String(error));
    }
    times.push(performance.now() - begun);
  };

  const memory: number[] = [];
  const sampling = setInterval(() => memory.push(memoryOf(site.pidOf(0))), SAMPLE_MILLISECONDS);
  const begun = performance.now();
  const open = new Set<Promise<void>>();
  for (let sent = 0; sent < seconds * REQUESTS_A_SECOND; sent++) {
    await sleep(Math.max(0, begun + (sent * 1000) / REQUESTS_A_SECOND - performance.now()));
    const isWrite = sent % (REQUESTS_A_SECOND / WRITES_A_SECOND) === 0;
    const answered = send(isWrite ? pick(dice, writes) : read).then(() => void open.delete(answered));
    open.add(answered);
  }
  await Promise.all(open);
  clearInterval(sampling);

  const warm = memory.slice(Math.floor(memory.length * WARM_UP));
  const part = Math.ceil(warm.length / 4);
  const [before, after] = [medianOf(warm.slice(0, part)), medianOf(warm.slice(-part))];
  console.log(`${times.length} requests in ${seconds} s; ${describeTimes(times)}`);
  console.log(
    `memory: ${before.toFixed(0)} MB after the warm-up, ${after.toFixed(0)} MB at the end, ${Math.max(...warm).toFixed(0)} MB at most`,
  );
  const growth = after / before;
  return [
    ...[...odd].map(([what, times]) => `${times} times ${what}`),
    ...(growth < LARGEST_GROWTH ? [] : [`memory grew by ${((growth - 1) * 100).toFixed(1)} %`]),
  ];
}

const newAddress = () => `${randomUUID()}@example.com`;
