import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import { type ApiCall, integerBetween, readParams } from "../api/params.ts";
import { controlOf, objectId } from "../control.ts";
import { existingCustomer } from "../customers.ts";
import { addObject, replaceWithEvent } from "../events.ts";
import { findAll, findOr404, lockOr404, newId, stripeObject } from "../store.ts";
import { lockCustomers, type Transaction } from "../transaction.ts";
import { runMoments } from "./moments.ts";

type Clock = Stripe.TestHelpers.TestClock;

/** 2100, in unix seconds. */
const LATEST = 4_102_444_800;
const params = z.strictObject({ frozen_time: integerBetween(1, LATEST) });

/** https://docs.stripe.com/api/test_clocks/create */
export async function createTestClock(call: ApiCall): Promise<Clock> {
  return newClock(call.tx, readParams(params, call.params).frozen_time);
}

async function newClock(tx: Transaction, frozen_time: number): Promise<Clock> {
  const clock = stripeObject<Clock>({
    id: newId("clock"),
    object: "test_helpers.test_clock",
    created: tx.now,
    frozen_time,
    status: "ready",
  });
  await addObject(tx, "test_helpers.test_clock.created", clock);
  return clock;
}

export async function advanceTestClock(call: ApiCall): Promise<Clock> {
  return advanceClock(call.tx, call.id, readParams(params, call.params).frozen_time);
}

/**
 * Runs all that falls due on the way, each at its own moment. The answer says `ready`, where Stripe's says `advancing` and
 * the work goes on in the background. @throws Stripe's 400 when the time is not later
 */
async function advanceClock(tx: Transaction, id: string, frozen_time: number): Promise<Clock> {
  const before = await lockOr404(tx, "test_helpers.test_clock", id);
  if (frozen_time <= before.frozen_time) {
    const message = `The \`frozen_time\` must be later than the test clock's, which is ${before.frozen_time}.`;
    throw invalidRequest(message, { param: "frozen_time" });
  }
  const customers = (await findAll(tx, "customer", { test_clock: id })).map((customer) => customer.id);
  await lockCustomers(tx, customers);
  await runMoments(tx, customers, frozen_time);
  const after: Clock = { ...before, frozen_time };
  return replaceWithEvent({ ...tx, now: frozen_time }, "test_helpers.test_clock.ready", after);
}

const asked = z.strictObject({
  customer: objectId,
  frozen_time: z.int().positive().max(LATEST).optional(),
});

/**
 * Moves an existing customer, with all their objects, to a test clock of their own, and advances it to `frozen_time`. A second
 * call advances the same clock.
 */
export const handleClockControl = controlOf(asked, async (tx, { customer: id, frozen_time }) => {
  await lockCustomers(tx, [id]);
  const { test_clock } = await existingCustomer(tx, id);
  const clock = test_clock
    ? await findOr404(tx, "test_helpers.test_clock", String(test_clock))
    : await newClock(tx, tx.now);
  if (!test_clock) {
    await tx.client.query(
      `UPDATE sandbox_stripe.objects SET object = object || $2
       WHERE (id = $1 OR object->>'customer' = $1) AND object ? 'test_clock'`,
      [id, JSON.stringify({ test_clock: clock.id })],
    );
  }
  const isThere = frozen_time === undefined || frozen_time === clock.frozen_time;
  return isThere ? clock : advanceClock(tx, clock.id, frozen_time);
});
