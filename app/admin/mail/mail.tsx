import { data, redirect } from "react-router";
import { readForm } from "../../http/form.server.ts";
import { findMail, type ListedMail, type MailState } from "../../mail/mails.server.ts";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { sendForm } from "../../ui/send-form.ts";
import { isolate } from "../../ui/typed-text.ts";
import {
  ConsolePage,
  ConsolePart,
  EmailLink,
  Facts,
  type MaybeFact,
  Moment,
  NotThere,
  State,
} from "../console-page.tsx";
import { type Flashes, flashIn, SELECTED } from "../flash.ts";
import { errorInWords } from "../jobs/job-words.ts";
import { tryNow } from "../jobs/jobs.server.ts";
import { flashOfTry, TryNow } from "../jobs/try-now.tsx";
import { requireOperator } from "../operator.server.ts";
import { ActionButton } from "../press.tsx";
import type { Route } from "./+types/mail.ts";
import { MAIL_WORDS } from "./mail-words.ts";
import { findOwner, resendMail } from "./resend-mail.server.ts";

const FLASHES: Flashes = {
  sent: ["good", "Sent again. It leaves within seconds, as a new email."],
  not_needed: ["plain", "Their address is confirmed already, so there is nothing to send."],
  not_kept: [
    "bad",
    "It can’t be written again: its text isn’t kept, and nothing here says it anew. Write to them instead.",
  ],
  payments_off: ["bad", "Payments are off, so Stripe wasn’t asked. Nothing was sent."],
  stripe_away: ["bad", "Stripe couldn’t be reached. Nothing was sent. Try again in a moment."],
};

export const handle: RouteHandle = { flash: (said) => flashIn(FLASHES)(said) ?? flashOfTry(said) };

export const clientAction = sendForm;

export async function loader(args: Route.LoaderArgs) {
  const { app } = await requireOperator(args);
  const mail = await findMail(app.db, args.params.mail);
  if (!mail) return data(null, { status: 404 });
  return { mail, ownerId: await findOwner(app.db, mail.recipient) };
}

export async function action(args: Route.ActionArgs) {
  const { app, operator } = await requireOperator(args);
  const form = await readForm(args.request, SELECTED);
  if (form.get("do") !== "resend") return tryNow(args, form);
  const mail = await findMail(app.db, args.params.mail);
  if (!mail) throw data(null, { status: 404 });
  const outcome = await resendMail(app, operator, mail);
  if (typeof outcome === "string") return redirect(`/admin/mail/${mail.id}?said=${outcome}`, 303);
  return data(
    { message: `Nothing was sent. ${outcome.message}.` },
    { status: outcome.status, headers: outcome.headers },
  );
}

const LIST = { href: "/admin/mail", label: "Mail" };

export default function MailPage({ loaderData, actionData }: Route.ComponentProps) {
  if (!loaderData) return <NotThere title="Mail" list={LIST} />;
  const { mail, ownerId } = loaderData;
  const { state } = mail;
  const isOver = state === "sent" || state === "given_up";
  return (
    <ConsolePage
      title={isolate(mail.subject)}
      above={LIST}
      actions={
        state === "failing" ? (
          <TryNow job={mail.id} />
        ) : (
          isOver &&
          mail.about && <ActionButton fields={{ do: "resend" }} label="Send again" pendingLabel="Sending…" />
        )
      }
    >
      {actionData && "message" in actionData && <Notice tone="bad">{actionData.message}</Notice>}
      <div className="console-parts">
        <ConsolePart id="delivery" title="Delivery">
          <Facts facts={factsOf(mail)} />
          <p className="text-quiet">
            {MEANINGS[state]}
            {isOver &&
              (mail.about
                ? ` “Send again” writes it anew, to ${mail.recipient}.`
                : " It can’t be sent again: its text isn’t kept.")}
          </p>
        </ConsolePart>
        {state === "given_up" && <WhatNow recipient={mail.recipient} ownerId={ownerId} />}
      </div>
    </ConsolePage>
  );
}

function WhatNow({ recipient, ownerId }: { recipient: string; ownerId: string | null }) {
  return (
    <ConsolePart id="what-now" title="What you can do">
      <ul className="list">
        {ownerId && (
          <li>
            Check on <PageLink href={`/admin/people/${ownerId}`}>their page</PageLink> whether they confirmed
            this address.
          </li>
        )}
        <li>
          {ownerId
            ? "If you can reach them another way, ask them to log in and change the address. Only they can."
            : "If you can reach them another way, ask them to enter the right address. It can’t be corrected here."}
        </li>
        <li>
          <PageLink href={`/admin/mail?${new URLSearchParams({ recipient })}`}>
            See all email to this address
          </PageLink>
          .
        </li>
      </ul>
    </ConsolePart>
  );
}

function factsOf(mail: ListedMail): MaybeFact[] {
  const { id, recipient, queuedAt, sentAt, givenUpAt, failure, attempts, lastError, nextTryAt } = mail;
  return [
    ["To", <EmailLink key="to" email={recipient} />],
    ["State", <State key="state" {...MAIL_WORDS[mail.state]} />],
    ["Created (UTC)", <Moment key="created" instant={queuedAt} />],
    sentAt && ["Sent (UTC)", <Moment key="sent" instant={sentAt} />],
    givenUpAt && ["Given up (UTC)", <Moment key="given-up" instant={givenUpAt} />],
    givenUpAt && ["Why", failure],
    attempts > 1 && ["Tries", attempts],
    lastError && ["Last error", errorInWords("send_mail", lastError)],
    nextTryAt && ["Next try (UTC)", <Moment key="next" instant={nextTryAt} />],
    ["Job number", id],
  ];
}

const MEANINGS: Record<MailState, string> = {
  sent: "The mail server has taken it. Whether it landed in a spam folder cannot be seen from here.",
  waiting: "It is sent as soon as a worker comes to it.",
  failing: "It is tried again automatically, at most five minutes apart, for five days.",
  given_up: "It won’t be tried again.",
};
