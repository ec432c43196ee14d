import type Stripe from "stripe";
import { callEndpoint } from "../api/call-endpoint.ts";
import type { Transaction } from "../transaction.ts";
import type { Visit } from "./visit.ts";

const DAYS = { day: 1, week: 7, month: 365 / 12, year: 365 };

/** Whether the configuration wants this change only at the end of the period. */
export function isScheduled({ features }: Visit, from: Stripe.Price, to: Stripe.Price): boolean {
  const { conditions } = features.subscription_update.schedule_at_period_end;
  return conditions.some(({ type }) =>
    type === "shortening_interval"
      ? daysOf(to) < daysOf(from)
      : daysOf(to) <= daysOf(from) && amountPerDay(to) < amountPerDay(from),
  );
}

function daysOf({ recurring }: Stripe.Price): number {
  const days = DAYS[(recurring?.interval ?? "month") as keyof typeof DAYS];
  return days * (recurring?.interval_count ?? 1);
}

function amountPerDay(price: Stripe.Price): number {
  return (price.unit_amount ?? 0) / daysOf(price);
}

/** Two phases: what there is until the end of the period, and the new price from then on. */
export async function scheduleChange(
  tx: Transaction,
  subscription: Stripe.Subscription,
  price: Stripe.Price,
): Promise<void> {
  const schedule = subscription.schedule
    ? await callEndpoint<Stripe.SubscriptionSchedule>(
        tx,
        "GET",
        `/v1/subscription_schedules/${String(subscription.schedule)}`,
      )
    : await callEndpoint<Stripe.SubscriptionSchedule>(tx, "POST", "/v1/subscription_schedules", {
        from_subscription: subscription.id,
      });
  const [item] = subscription.items.data;
  const start = schedule.current_phase?.start_date ?? schedule.phases[0]?.start_date;
  await callEndpoint(tx, "POST", `/v1/subscription_schedules/${schedule.id}`, {
    end_behavior: "release",
    phases: {
      0: {
        items: { 0: { price: item?.price.id ?? "", quantity: String(item?.quantity ?? 1) } },
        start_date: String(start),
        end_date: String(item?.current_period_end),
      },
      1: {
        items: { 0: { price: price.id, quantity: String(item?.quantity ?? 1) } },
        duration: {
          interval: price.recurring?.interval ?? "month",
          interval_count: String(price.recurring?.interval_count ?? 1),
        },
      },
    },
  });
}
