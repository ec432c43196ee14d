import { data, redirect } from "react-router";
import { z } from "zod";
import { formatMoney } from "../../billing/plans.ts";
import {
  type Answering,
  answerOnce,
  deleteMessage,
  findMessage,
  reopen,
  type StoredMessage,
} from "../../contact/answer.server.ts";
import { findTopic } from "../../contact/topics.ts";
import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import { readForm } from "../../http/form.server.ts";
import { submitForm } from "../../http/submit-form.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { ErrorSummary } from "../../ui/error-summary.tsx";
import { TextField } from "../../ui/field.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { type FormAnswer, useRouteForm } from "../../ui/route-form.ts";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { useSite } from "../../ui/site.ts";
import { isolate } from "../../ui/typed-text.ts";
import { ConsolePage, ConsolePart, EmailLink, Facts, Moment, NotThere, State } from "../console-page.tsx";
import { type Flashes, flashIn } from "../flash.ts";
import { requireOperator } from "../operator.server.ts";
import { ActionButton, Checkbox, ConfirmedAction } from "../press.tsx";
import type { Route } from "./+types/message.ts";
import { readSender } from "./read-sender.server.ts";
import { REPLIES } from "./replies.ts";

const FLASHES: Flashes = {
  answered: ["good", "Your answer is on its way by email."],
  marked: ["good", "Marked as answered. Nothing was sent."],
  reopened: ["good", "Marked as unanswered."],
};

const oneButton = z.enum(["mark", "reopen", "delete"]);

export const handle: RouteHandle = { flash: flashIn(FLASHES) };

export async function loader(args: Route.LoaderArgs) {
  const { db } = await requireOperator(args);
  const message = await findMessage(db, args.params.message);
  const reply = new URL(args.request.url).searchParams.get("reply");
  return data(
    {
      message,
      sender: message && (await readSender(db, message.email)),
      reply: REPLIES.find(({ name }) => name === reply) ?? null,
    },
    { status: message ? 200 : 404 },
  );
}

export async function action(args: Route.ActionArgs) {
  const { app, operator } = await requireOperator(args);
  const { message: id } = args.params;
  const here = `/admin/messages/${id}`;
  const form = await readForm(args.request);
  const pressed = oneButton.safeParse(form.get("do"));
  if (!pressed.success) {
    return submitForm(args, {
      schema: answerForm,
      form,
      failure: "an answer was not sent",
      work: async ({ answer, quote }) => {
        const outcome = await answerOnce(app.db, app.config.site, operator, id, answer, quote);
        return outcome.ok ? redirect(`${here}?said=answered`, 303) : outcome;
      },
    });
  }
  const outcomes: Record<typeof pressed.data, [() => Promise<Answering>, where: string]> = {
    mark: [() => answerOnce(app.db, app.config.site, operator, id, null), `${here}?said=marked`],
    reopen: [() => reopen(app.db, operator, id), `${here}?said=reopened`],
    delete: [() => deleteMessage(app.db, operator, id), "/admin/messages?said=deleted"],
  };
  const [press, where] = outcomes[pressed.data];
  const outcome = await press();
  return redirect(outcome.ok ? where : here, 303);
}

export default function MessagePage({
  loaderData: { message, sender, reply },
  actionData,
}: Route.ComponentProps) {
  if (!message) return <NotThere title="Message" list={{ href: "/admin/messages", label: "Messages" }} />;
  return (
    <ConsolePage
      title={`Message from ${isolate(message.name)}`}
      above={{ href: "/admin/messages", label: "Messages" }}
    >
      <div className="console-parts">
        <ConsolePart id="message" title="Message">
          <p className="console-text" dir="auto">
            {message.message}
          </p>
          <MessageFacts message={message} sender={sender} />
        </ConsolePart>
        <div className="grid gap-6 content-start">
          {message.answer && (
            <ConsolePart id="sent" title={message.answeredAt ? "The answer" : "An earlier answer"}>
              <p className="console-text">{message.answer}</p>
            </ConsolePart>
          )}
          {(!message.answeredAt || actionData) && (
            <ConsolePart id="answer" title="Answer by email">
              <Notice tone="plain" isStatic>
                Anyone can type any address into the contact form. Before you change or delete an account, or
                share anything in it, email its address and wait for a reply.
              </Notice>
              <nav aria-label="Replies to start from" className="console-chips pb-2.5">
                <span className="text-quiet">Start from:</span>
                {REPLIES.map(({ name, label }) => (
                  <PageLink
                    key={name}
                    href={`?reply=${name}#answer`}
                    preventScrollReset
                    className="console-chip"
                    aria-current={reply?.name === name || undefined}
                  >
                    {label}
                  </PageLink>
                ))}
              </nav>
              <AnswerForm
                key={reply?.name}
                email={message.email}
                isConfirmed={sender?.emailVerified ?? false}
                answer={actionData}
                reply={reply?.text}
              />
            </ConsolePart>
          )}
          <div className="flex flex-wrap gap-3 items-start">
            <ActionButton
              fields={{ do: message.answeredAt ? "reopen" : "mark" }}
              label={message.answeredAt ? "Mark as unanswered" : "Mark as answered"}
            />
            <ConfirmedAction title="Delete" fields={{ do: "delete" }} label="Delete the message">
              <p>It’s deleted with its answer. This can’t be undone.</p>
            </ConfirmedAction>
          </div>
        </div>
      </div>
    </ConsolePage>
  );
}

interface MessageFactsProps {
  message: StoredMessage;
  sender: Route.ComponentProps["loaderData"]["sender"];
}

function MessageFacts({ message, sender }: MessageFactsProps) {
  const { name, email, topic, createdAt, answeredAt, answeredBy } = message;
  return (
    <Facts
      facts={[
        ["About", findTopic(topic)?.label ?? topic],
        [
          "From",
          <span key="from">
            <bdi>{name}</bdi> <EmailLink email={email} />
          </span>,
        ],
        [
          "Account",
          sender ? (
            <PageLink key="account" href={`/admin/people/${sender.id}`}>
              {sender.tier ? `Has ${PLAN_NAMES[sender.tier]}` : "Has no plan"}
            </PageLink>
          ) : (
            "None has this address"
          ),
        ],
        sender &&
          sender.invoices.length > 0 && [
            sender.invoices.length === 1 ? "Last invoice" : "Last invoices",
            <Invoices key="invoices" invoices={sender.invoices} />,
          ],
        ["Sent (UTC)", <Moment key="sent" instant={createdAt} />],
        [
          "State",
          answeredAt ? (
            <span key="state">
              <State word="Answered" tone="good" /> <Moment instant={answeredAt} /> by {answeredBy}
            </span>
          ) : (
            <State key="state" word="Waiting for an answer" />
          ),
        ],
      ]}
    />
  );
}

function Invoices({ invoices }: Pick<NonNullable<MessageFactsProps["sender"]>, "invoices">) {
  return invoices.map(({ id, number, createdAt, total, currency, status, amountRefunded }) => (
    <span key={id} className="block">
      {number ?? id}, <Moment instant={createdAt} isDay />: {formatMoney(total, currency)}, {status}
      {amountRefunded > 0 && `, ${formatMoney(amountRefunded, currency)} refunded`}
    </span>
  ));
}

interface AnswerFormProps {
  email: string;
  isConfirmed: boolean;
  answer: FormAnswer | undefined;
  reply: string | undefined;
}

function AnswerForm({ email, isConfirmed, answer, reply }: AnswerFormProps) {
  const { supportEmail } = useSite();
  const { form, fields, formProps } = useRouteForm<typeof answerForm>(answer, {
    id: "answering",
    defaultValue: { answer: reply, quote: isConfirmed },
  });
  return (
    <>
      {!form.valid && <ErrorSummary title="Your answer wasn’t sent" form={form} />}
      <PostForm {...formProps} action="?" className="console-form">
        <TextField
          field={fields.answer}
          label="Your answer"
          hint={`It goes to ${email} in our email layout. Replies go to ${supportEmail ?? "the address it comes from"}.`}
          rows={9}
        />
        <Checkbox field={fields.quote} label="Quote their message (skip if you doubt the address)" />
        <SubmitButton pendingLabel="Sending…">Send the answer</SubmitButton>
      </PostForm>
    </>
  );
}

/** In UTF-16 code units. */
const ANSWER_MAX_LENGTH = 10_000;

const answerForm = z.object({
  quote: z.boolean().optional(),
  answer: z
    .string({ error: "Write your answer" })
    .transform((text) => text.replaceAll("\r\n", "\n").trim())
    .pipe(
      z
        .string()
        .min(1, "Write your answer")
        .max(ANSWER_MAX_LENGTH, "Shorten your answer to 10,000 characters")
        .regex(/^[\t\n\P{Cc}]*$/u, "Some characters here can’t be sent. Please retype it."),
    ),
});
