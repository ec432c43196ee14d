import type { Message } from "../mail/message.ts";
import { formatDay } from "../ui/format-day.ts";
import type { Site } from "../ui/site.ts";
import { isolate } from "../ui/typed-text.ts";
import { findTopic, type Topic } from "./topics.ts";

export function forwardedMessage(
  { name, email, topic, message }: { name: string; email: string; topic: Topic; message: string },
  supportEmail: string,
): Message {
  return {
    to: supportEmail,
    replyTo: email,
    isFromPerson: true,
    subject: `${findTopic(topic)?.label}: ${isolate(name)}`,
    paragraphs: [`${isolate(name)} <${email}> wrote:`, isolate(message)],
    footnotes: [{ text: "Sent through the contact form. Replies to this email go to the sender." }],
  };
}

/** @param quote only when the operator has read it: anyone may have typed this address with a text of their own */
export function answerMessage(
  to: { email: string; topic: Topic; createdAt: Date },
  answer: string,
  { product, supportEmail }: Site,
  quote: string | null = null,
): Message {
  return {
    to: to.email,
    replyTo: supportEmail ?? undefined,
    isFromPerson: true,
    subject: `Your message to ${product}`,
    paragraphs: [
      answer,
      ...(quote === null
        ? []
        : [`On ${formatDay(to.createdAt)} you wrote:\n${quote.replaceAll(/^/gm, "> ")}`]),
    ],
    footnotes: [
      {
        text: `This is our answer to the message sent with this email address through our contact form on ${formatDay(to.createdAt)} (${findTopic(to.topic)?.label ?? "a message"}). Questions? Just reply.`,
      },
    ],
  };
}
