import { z } from "zod";
import { readJson } from "../../request-body.ts";
import { invalidRequest } from "../api/errors.ts";
import { existingCustomer } from "../objects/customers.ts";
import { findOr404 } from "../store.ts";
import { inTransaction, type Site, type Transaction } from "../transaction.ts";
import { attachToClock, lockCustomers } from "./clock-time.ts";
import { advanceClock, newClock } from "./clocks.ts";

const bodySchema = z.strictObject({
  customer: z.string().max(100),
  /** Unix seconds. */
  frozen_time: z.int().positive().max(4_102_444_800).optional(),
});

/**
 * For tests and people: puts a customer who exists already on a clock of their own, and moves it to `frozen_time`. A second
 * call moves the same clock. Answers with the clock.
 */
export async function handleClockControl(request: Request, site: Site): Promise<Response> {
  if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
  const body = bodySchema.safeParse(await readJson(request));
  if (!body.success) throw invalidRequest(z.prettifyError(body.error));
  const clock = await inTransaction(site, null, (tx) => moveCustomer(tx, body.data));
  return Response.json(clock);
}

async function moveCustomer(tx: Transaction, { customer: id, frozen_time }: z.output<typeof bodySchema>) {
  await lockCustomers(tx, [id]);
  const customer = await existingCustomer(tx, id);
  const clock = customer.test_clock
    ? await findOr404(tx, "test_helpers.test_clock", String(customer.test_clock))
    : await attachToClock(tx, id, await newClock(tx, tx.now));
  if (frozen_time === undefined || frozen_time === clock.frozen_time) return clock;
  return advanceClock(tx, clock.id, frozen_time);
}
