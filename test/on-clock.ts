import { connectStripe } from "@ownwords/sandbox/testing";
import { formatDay, formatDue, formatEnd } from "../app/ui/format-day.ts";
import { allJobsDone } from "./http.ts";
import { mailsTo, type SentMail } from "./mail.ts";
import type { TestServer } from "./server.ts";
import type { Person } from "./users.ts";

const DAY_SECONDS = 24 * 60 * 60;

/** Moves one of our customers to a test clock of Stripe's. Our own clock is unaffected. */
export async function putOnClock(server: TestServer, { email }: Person, customer: string) {
  const stripe = connectStripe(server.stripeOrigin);
  let { frozen_time } = await moveClock(server, { customer });
  let readMails = (await mailsTo(server, email)).length;

  async function moveTo(seconds: number): Promise<void> {
    frozen_time = seconds;
    await moveClock(server, { customer, frozen_time });
    await allJobsDone(server);
  }

  /** The newest one that is not over. */
  async function subscription() {
    const [newest] = (await stripe.subscriptions.list({ customer, limit: 1 })).data;
    if (!newest) throw new Error(`${customer} has no subscription`);
    return newest;
  }

  async function periodEnd(): Promise<number> {
    return (await subscription()).items.data[0]?.current_period_end ?? 0;
  }

  return {
    stripe,
    subscription,
    /** Attaches one of Stripe's test cards, and makes it the one that pays. */
    async payWith(card: string): Promise<void> {
      const { id } = await stripe.paymentMethods.attach(card, { customer });
      await stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
      // A subscription from the payment page has a card of its own.
      const { data } = await stripe.subscriptions.list({ customer });
      for (const { id } of data) await stripe.subscriptions.update(id, { default_payment_method: "" });
    },
    /** Moves the clock on, until all that follows from it is known here. */
    pass: (days: number) => moveTo(frozen_time + days * DAY_SECONDS),
    /**
     * Moves the clock to the day after the paid period's end.
     *
     * @returns as pages write them: this end, the next, also as the end of a plan, and that of the grace for a payment that failed
     */
    async passPeriod(): Promise<{ ended: string; next: string; nextEnd: string; grace: string }> {
      const end = await periodEnd();
      await moveTo(end + DAY_SECONDS);
      const next = await periodEnd();
      return {
        ended: dayOf(end),
        next: dueOf(next),
        nextEnd: formatEnd(new Date(next * 1000)),
        grace: dueOf(end + 7 * DAY_SECONDS),
      };
    },
    /** The day that pages write. */
    today: () => dayOf(frozen_time),
    paidUntil: async () => dueOf(await periodEnd()),
    /** The mails that came since the last call. */
    async news(): Promise<SentMail[]> {
      await allJobsDone(server);
      const mails = await mailsTo(server, email);
      const unread = mails.slice(0, mails.length - readMails);
      readMails = mails.length;
      return unread;
    },
  };
}

async function moveClock(
  { origin }: TestServer,
  body: { customer: string; frozen_time?: number },
): Promise<{ frozen_time: number }> {
  const response = await fetch(`${origin}/sandbox/stripe/control/clocks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(await response.text());
  return response.json();
}

function dueOf(unixSeconds: number): string {
  return formatDue(new Date(unixSeconds * 1000));
}

function dayOf(unixSeconds: number): string {
  return formatDay(new Date(unixSeconds * 1000));
}
