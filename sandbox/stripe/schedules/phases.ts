import type Stripe from "stripe";
import { z } from "zod";
import { invalidRequest } from "../api/errors.ts";
import { integer, integerBetween, list, text, unsettable } from "../api/params.ts";
import { discountsParam } from "../coupons/coupons.ts";
import { quantity, recurringPrice } from "../subscriptions/items.ts";
import { addIntervals } from "../subscriptions/periods.ts";
import type { Transaction } from "../transaction.ts";
import { newPhase } from "./new-schedule.ts";

type Schedule = Stripe.SubscriptionSchedule;

export const prorationBehavior = z.enum(["always_invoice", "create_prorations", "none"]);

const phaseParam = z.strictObject({
  items: list(z.strictObject({ price: text, quantity: quantity.optional() })).refine(
    (items) => items.length >= 1 && items.length <= 20,
    { error: "A phase has 1 to 20 items." },
  ),
  start_date: integer.optional(),
  end_date: integer.optional(),
  duration: z
    .strictObject({
      interval: z.enum(["day", "week", "month", "year"]),
      interval_count: integerBetween(1, 60).default(1),
    })
    .optional(),
  discounts: unsettable(discountsParam).optional(),
  proration_behavior: prorationBehavior.default("create_prorations"),
  trial_end: integer.optional(),
});

export const phasesParam = list(phaseParam).refine((phases) => phases.length >= 1 && phases.length <= 10, {
  error: "A schedule has 1 to 10 phases.",
});

/** The phases of an update, one after the other without a gap. Past ones may be left out. @throws Stripe's 400 */
export async function readPhases(
  tx: Transaction,
  schedule: Schedule,
  params: z.output<typeof phasesParam>,
): Promise<Schedule["phases"]> {
  const phases: Schedule["phases"] = [];
  let start = firstStart(tx, schedule, params[0]?.start_date);
  for (const [at, { items, start_date, end_date, duration, ...param }] of params.entries()) {
    if (start_date !== undefined && start_date !== start) {
      throw wrongStart(at, start);
    }
    const priced = [];
    for (const [n, { price, quantity = 1 }] of items.entries()) {
      const recurring = await intervalOfPrice(tx, schedule, price, `phases[${at}][items][${n}][price]`);
      priced.push({ price, quantity, metadata: {}, recurring });
    }
    const interval = duration ?? priced[0]?.recurring ?? { interval: "month", interval_count: 1 };
    const end = end_date ?? addIntervals(interval, start, 1);
    assertEnd(tx, schedule, { at, start, end });
    phases.push(
      newPhase({
        start_date: start,
        end_date: end,
        currency: schedule.phases[0]?.currency ?? "usd",
        items: priced,
        discounts: (param.discounts ?? []).map((asked) => ({
          coupon: null,
          discount: null,
          promotion_code: null,
          ...asked,
        })),
        proration_behavior: param.proration_behavior,
        trial_end: param.trial_end ?? null,
      }),
    );
    start = end;
  }
  return phases;
}

/** That of the current phase, or of an earlier one that is named. */
function firstStart(tx: Transaction, schedule: Schedule, named: number | undefined): number {
  const known = schedule.phases.some(({ start_date }) => start_date === named);
  return known && named !== undefined ? named : (schedule.current_phase?.start_date ?? tx.now);
}

function assertEnd(
  tx: Transaction,
  { current_phase }: Schedule,
  { at, start, end }: { at: number; start: number; end: number },
): void {
  const isPast = start < (current_phase?.start_date ?? 0);
  if (end > start && (isPast || end > tx.now)) return;
  const message = `The end date of phase ${at} must be after its start, and in the future.`;
  throw invalidRequest(message, { param: `phases[${at}][end_date]` });
}

/** A price that is in the schedule already may have been retired since. */
async function intervalOfPrice(tx: Transaction, { phases }: Schedule, id: string, param: string) {
  const isRetiredFine = phases.some(({ items }) => items.some(({ price }) => price === id));
  return (await recurringPrice(tx, id, param, { isRetiredFine })).recurring;
}

function wrongStart(at: number, start: number) {
  const message =
    at === 0
      ? `You can not modify the start date of the current phase, which is ${start}.`
      : `The start date of phase ${at} must be the end date of the phase before it, ${start}.`;
  return invalidRequest(message, { param: `phases[${at}][start_date]` });
}
