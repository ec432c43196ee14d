import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import { type ApiCall, integerBetween, readParams, text } from "../api/params.ts";
import { deleteCustomerWithAll } from "../objects/customers.ts";
import { recordEvent } from "../objects/events.ts";
import {
  findOr404,
  insertObject,
  listObjects,
  lockOr404,
  newId,
  pageParams,
  replaceObject,
} from "../store.ts";
import type { Transaction } from "../transaction.ts";
import { attachToClock, customersOn, lockCustomers } from "./clock-time.ts";
import { runMoments } from "./run-moments.ts";

type Clock = Stripe.TestHelpers.TestClock;

const DAYS_30_SECONDS = 30 * 24 * 60 * 60;
/** Until the year 2100, in unix seconds. */
const frozenTime = integerBetween(1, 4_102_444_800);

const createSchema = z.strictObject({
  frozen_time: frozenTime,
  name: text.optional(),
  customer: text.optional(),
});

/** `customer` puts one that exists already on the clock, for good: https://docs.stripe.com/api/test_clocks/create */
export async function createTestClock({ tx, params }: ApiCall): Promise<Clock> {
  const { customer, ...fields } = readParams(createSchema, params);
  return newClock(tx, fields, customer);
}

interface ClockFields {
  frozen_time: number;
  name?: string | undefined;
}

/** @throws Stripe's 400 when the customer does not exist, is on a clock already, or is ahead of the clock's time */
export async function newClock(tx: Transaction, fields: ClockFields, customer?: string): Promise<Clock> {
  const clock: Clock = {
    id: newId("clock"),
    object: "test_helpers.test_clock",
    created: tx.now,
    deletes_after: tx.now + DAYS_30_SECONDS,
    frozen_time: fields.frozen_time,
    livemode: false,
    name: fields.name ?? null,
    status: "ready",
    status_details: {},
  };
  await insertObject(tx, clock);
  await recordEvent(tx, { type: "test_helpers.test_clock.created", data: { object: clock } });
  if (customer !== undefined) await attachToClock(tx, customer, clock);
  return clock;
}

export async function retrieveTestClock({ tx, id }: ApiCall): Promise<Clock> {
  return findOr404(tx, "test_helpers.test_clock", id);
}

const listSchema = z.strictObject(pageParams);

export async function listTestClocks({ tx, params }: ApiCall) {
  return listObjects(
    tx,
    "test_helpers.test_clock",
    "/v1/test_helpers/test_clocks",
    readParams(listSchema, params),
  );
}

const noParams = z.strictObject({});

/** Its customers go with it, and their subscriptions: https://docs.stripe.com/api/test_clocks/delete */
export async function deleteTestClock({
  tx,
  params,
  id,
}: ApiCall): Promise<Stripe.TestHelpers.DeletedTestClock> {
  readParams(noParams, params);
  const clock = await lockOr404(tx, "test_helpers.test_clock", id);
  const customers = await customersOn(tx, id);
  await lockCustomers(tx, customers);
  for (const customer of customers) await deleteCustomerWithAll({ ...tx, now: clock.frozen_time }, customer);
  await recordEvent(tx, { type: "test_helpers.test_clock.deleted", data: { object: clock } });
  await tx.client.query("DELETE FROM sandbox_stripe.objects WHERE id = $1", [id]);
  return { id, object: "test_helpers.test_clock", deleted: true };
}

const advanceSchema = z.strictObject({ frozen_time: frozenTime });

export async function advanceTestClock({ tx, params, id }: ApiCall): Promise<Clock> {
  const { frozen_time } = readParams(advanceSchema, params);
  return advanceClock(tx, id, frozen_time);
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
  const advancing: Clock = {
    ...before,
    status: "advancing",
    status_details: { advancing: { target_frozen_time: frozen_time } },
  };
  const start = { ...tx, now: before.frozen_time };
  await recordEvent(start, { type: "test_helpers.test_clock.advancing", data: { object: advancing } });
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
