import type { Queryable } from "../../db/client.server.ts";
import { enqueueMail } from "../../mail/enqueue-mail.server.ts";
import type { Message } from "../../mail/message.ts";
import { type EventName, noteEvent } from "../../telemetry/events.ts";
import type { Site } from "../../ui/site.ts";
import { billingNotices } from "../schema.ts";
import type { Notice, Recipient } from "./notice.ts";
import { refundsMessage } from "./payment-messages.ts";
import { readRecipient } from "./recipient.server.ts";

/** The first sync after an upgrade or a restore must not mail the past. */
const NEWS_MILLISECONDS = 7 * 24 * 60 * 60 * 1000;

/** Queues a mail for each recent, unsent notice, and its row, in one transaction. @param now by the database's clock */
export async function sendOnce(
  tx: Queryable,
  site: Site,
  owner: { userId: string; email: string },
  notices: readonly Notice[],
  now: Date,
): Promise<void> {
  const { userId } = owner;
  const news = notices.filter(({ occurredAt }) => now.getTime() - occurredAt.getTime() < NEWS_MILLISECONDS);
  if (news.length === 0) return;
  const unsent = await tx
    .insert(billingNotices)
    .values(news.map(({ kind, subject }) => ({ kind, subject, userId })))
    .onConflictDoNothing()
    .returning();
  const toSend = news.filter((notice) =>
    unsent.some(({ kind, subject }) => kind === notice.kind && subject === notice.subject),
  );
  if (toSend.length === 0) return;
  const recipient = await readRecipient(tx, site, owner, now);
  for (const { message, about } of messagesOf(toSend, recipient))
    await enqueueMail(tx, site, message, { about });
  for (const { kind, subject } of toSend) {
    const businessEvent = EVENT_OF[kind];
    if (businessEvent)
      noteEvent(tx, {
        event: businessEvent.event,
        userId,
        [businessEvent.id]: subject.split(" ", 1)[0] ?? "",
      });
  }
}

/** Notices that are logged as business events, and what their subject's id is. */
const EVENT_OF: Record<string, { event: EventName; id: `${string}Id` }> = {
  receipt: { event: "paid", id: "invoiceId" },
  payment_failed: { event: "payment_failed", id: "invoiceId" },
  refunded: { event: "refunded", id: "refundId" },
  canceled: { event: "canceled", id: "subscriptionId" },
  ended: { event: "plan_ended", id: "subscriptionId" },
};

function messagesOf(
  notices: readonly Notice[],
  recipient: Recipient,
): { message: Message; about?: string }[] {
  const others = notices.filter(({ ending }) => !ending);
  const endings = Map.groupBy(
    notices.flatMap(({ ending, about }) => (ending ? { ...ending, about } : [])),
    ({ subscription }) => subscription,
  );
  return [
    ...others.map((notice) => ({ message: notice.write(recipient), about: notice.about })),
    ...[...endings.values()].map((of) => ({
      message: refundsMessage(
        of.map(({ refund }) => refund),
        recipient,
      ),
      about: of.length === 1 ? of[0]?.about : undefined,
    })),
  ];
}
