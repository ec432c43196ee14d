import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import { type ApiCall, integerBetween, readParams } from "../api/params.ts";
import { recordEvent } from "../objects/events.ts";
import { insertObject, lockOr404, newId, replaceObject } from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { customersOn, lockCustomers } from "./clock-time.ts";
import { runMoments } from "./run-moments.ts";

type Clock = Stripe.TestHelpers.TestClock;

const DAYS_30_SECONDS = 30 * 24 * 60 * 60;
/** Until the year 2100, in unix seconds. */
const params = z.strictObject({ frozen_time: integerBetween(1, 4_102_444_800) });

/** https://docs.stripe.com/api/test_clocks/create */
export async function createTestClock(call: ApiCall): Promise<Clock> {
  return newClock(call.tx, readParams(params, call.params).frozen_time);
}

export async function newClock(tx: Transaction, frozen_time: number): Promise<Clock> {
  const clock: Clock = {
    id: newId("clock"),
    object: "test_helpers.test_clock",
    created: tx.now,
    deletes_after: tx.now + DAYS_30_SECONDS,
    frozen_time,
    livemode: false,
    name: null,
    status: "ready",
    status_details: {},
  };
  await insertObject(tx, clock);
  await recordEvent(tx, { type: "test_helpers.test_clock.created", data: { object: clock } });
  return clock;
}

export async function advanceTestClock(call: ApiCall): Promise<Clock> {
  return advanceClock(call.tx, call.id, readParams(params, call.params).frozen_time);
}

/**
 * Runs all that falls due on the way, each at its own moment. The answer says `ready`, where Stripe's says `advancing` and
 * the work goes on in the background. @throws Stripe's 400 when the time is not later
 */
export async function advanceClock(tx: Transaction, id: string, frozen_time: number): Promise<Clock> {
  const before = await lockOr404(tx, "test_helpers.test_clock", id);
  if (frozen_time <= before.frozen_time) {
    const message = `The \`frozen_time\` must be later than the test clock's, which is ${before.frozen_time}.`;
    throw invalidRequest(message, { param: "frozen_time" });
  }
  const customers = await customersOn(tx, id);
  await lockCustomers(tx, customers);
  await runMoments(tx, customers, frozen_time);
  const after: Clock = { ...before, frozen_time };
  await replaceObject(tx, after);
  await recordEvent(
    { ...tx, now: frozen_time },
    { type: "test_helpers.test_clock.ready", data: { object: after } },
  );
  return after;
}
