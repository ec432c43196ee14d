import type { ReactNode } from "react";
import { fromContext } from "../../http/context.server.ts";
import { stateOfMail } from "../../mail/mail-state.ts";
import { findMail, type ListedMail } from "../../mail/mails.server.ts";
import { PageLink } from "../../ui/page-link.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { sendForm } from "../../ui/send-form.ts";
import { isolate } from "../../ui/typed-text.ts";
import { ConsolePage, Facts, Moment, NotThere, State } from "../console-page.tsx";
import { tryNow } from "../jobs/jobs.server.ts";
import { flashOfTry, TryNow } from "../jobs/try-now.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/mail.ts";
import { stateInWords } from "./mail-words.ts";

export const handle: RouteHandle = { flash: flashOfTry };

export const clientAction = sendForm;

export async function loader(args: Route.LoaderArgs) {
  await requireOperator(args);
  return { mail: await findMail(fromContext(args.context).app.db, args.params.mail) };
}

export async function action(args: Route.ActionArgs) {
  return tryNow(args);
}

const LIST = { href: "/admin/mail", label: "Mail" };

export default function MailPage({ loaderData: { mail } }: Route.ComponentProps) {
  if (!mail) return <NotThere title="Mail" list={LIST} />;
  const isWaiting = !mail.sentAt && !mail.givenUpAt;
  return (
    <ConsolePage title={isolate(mail.subject)} above={[LIST]} actions={isWaiting && <TryNow job={mail.id} />}>
      <Facts facts={factsOf(mail)} />
      <p className="text-quiet">{meaningOf(mail)}</p>
    </ConsolePage>
  );
}

function factsOf(mail: ListedMail): [string, ReactNode][] {
  const { id, recipient, queuedAt, sentAt, givenUpAt, failure, attempts, lastError, nextTryAt } = mail;
  return [
    [
      "To",
      <PageLink key="to" href={`/admin/search?${new URLSearchParams({ q: recipient })}`}>
        {recipient}
      </PageLink>,
    ],
    ["State", <State key="state" {...stateInWords(mail)} />],
    ["Written", <Moment key="written" instant={queuedAt} />],
    ...(sentAt ? ([["Sent", <Moment key="sent" instant={sentAt} />]] as [string, ReactNode][]) : []),
    ...(givenUpAt
      ? ([
          ["Given up", <Moment key="given-up" instant={givenUpAt} />],
          ["Why", failure],
        ] as [string, ReactNode][])
      : []),
    ["Tries", attempts],
    ...(lastError ? ([["Last error", lastError]] as [string, ReactNode][]) : []),
    ...(nextTryAt
      ? ([["Next try", <Moment key="next" instant={nextTryAt} />]] as [string, ReactNode][])
      : []),
    ["Number", id],
  ];
}

function meaningOf(mail: ListedMail): string {
  return {
    sent: "The mail server has taken it. Whether it landed in a spam folder cannot be seen from here.",
    waiting: "It is sent as soon as a worker comes to it.",
    failing: "It is tried again by itself, at most five minutes apart, for five days.",
    given_up: "Its text is deleted, so it cannot be sent again from here.",
  }[stateOfMail(mail)];
}
