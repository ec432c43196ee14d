import { Fragment } from "react";
import { data, redirect } from "react-router";
import { readRefundByOperator } from "../../billing/plan/refund-by-operator.server.ts";
import { formatMoney } from "../../billing/plans.ts";
import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import { readForm } from "../../http/form.server.ts";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { ConsolePage, ConsolePart, Figures, formatCount, Moment, State } from "../console-page.tsx";
import { flashIn } from "../flash.ts";
import type { ListPage } from "../lists/keyset.server.ts";
import { readListQuery } from "../lists/list-query.ts";
import { type Column, Table } from "../lists/table.tsx";
import { requireFreshOperator, requireOperator } from "../operator.server.ts";
import { ActionButton } from "../press.tsx";
import { stripeDashboard } from "../stripe-dashboard.server.ts";
import type { Route } from "./+types/person.ts";
import { AccessPart } from "./access-part.tsx";
import { AccountActions, PersonFacts } from "./account-part.tsx";
import { FLASHES } from "./flashes.ts";
import { PaymentsPart } from "./payments-part.tsx";
import { ASKS_AGAIN, handlePersonAction } from "./person-action.server.ts";
import { PlanEnd } from "./person-words.tsx";
import { type PersonRead, readPerson } from "./read-person.server.ts";
import { type Entry, readTimeline } from "./timeline.server.ts";

export const handle: RouteHandle = { flash: flashIn(FLASHES) };

const PEOPLE = { href: "/admin/people", label: "People" };

export async function loader(args: Route.LoaderArgs) {
  const { app, operator } = await requireOperator(args);
  const found = await readPerson(app.db, args.params.id);
  if (!found) throw data(null, { status: 404 });
  const query = new URL(args.request.url).searchParams;
  const { from } = readListQuery(query, { sorts: [], isDescending: true, filters: [] });
  const hasEvents = query.has("events");
  const customerId = (hasEvents && found.customer?.stripeCustomerId) || null;
  return {
    ...found,
    history: await readTimeline(app.db, found.person, customerId, from),
    hasEvents,
    customerHint: /^cus_\w{1,250}$/.exec(query.get("customer") ?? "")?.[0] ?? null,
    refund: await readRefundByOperator(app, found.person),
    isSelf: found.person.id === operator.id,
    stripe: stripeDashboard(app.config),
  };
}

export async function action(args: Route.ActionArgs) {
  const { app, operator } = await requireOperator(args);
  const form = await readForm(args.request);
  if (ASKS_AGAIN.has(String(form.get("do")))) await requireFreshOperator(args);
  const outcome = await handlePersonAction(app, operator, args.params.id, form);
  if (typeof outcome === "string") return redirect(`/admin/people/${args.params.id}?said=${outcome}`, 303);
  const { message, status, headers } = outcome;
  return data({ message }, { status, headers });
}

/** Its forms post to `?`, so that a refusal does not show an earlier action's message. */
export default function Person({ loaderData, actionData }: Route.ComponentProps) {
  const { person, waitingMessages: waiting, customer, history, hasEvents } = loaderData;
  return (
    <ConsolePage title={person.name || person.email} above={PEOPLE}>
      {person.name && <p>{person.email}</p>}
      {(!person.emailVerified || waiting > 0) && (
        <ul className="needs grid gap-1">
          {!person.emailVerified && (
            <li>
              <div>
                Email not confirmed.
                <ActionButton fields={{ do: "confirmation" }} label="Resend confirmation link" />
              </div>
            </li>
          )}
          {waiting > 0 && (
            <li>
              <PageLink
                href={`/admin/messages?${new URLSearchParams({ state: "waiting", email: person.email })}`}
              >
                {waiting === 1 ? "1 unanswered message" : `${formatCount(waiting)} unanswered messages`}
              </PageLink>
            </li>
          )}
        </ul>
      )}
      {actionData && <Notice tone="bad">{actionData.message}</Notice>}
      <PersonFigures {...loaderData} />
      <AccessPart {...loaderData} />
      <PaymentsPart {...loaderData} />
      <div className="console-parts">
        <PersonFacts {...loaderData} />
        <AccountActions {...loaderData} />
      </div>
      <ConsolePart id="history" title="Activity">
        {customer && (
          <p>
            <PageLink href={hasEvents ? "?#history" : "?events=1#history"}>
              {hasEvents ? "Hide Stripe’s events" : "Show Stripe’s events"}
            </PageLink>
          </p>
        )}
        <Timeline page={history} query={hasEvents ? "?events=1&" : "?"} />
      </ConsolePart>
    </ConsolePage>
  );
}

function PersonFigures({ plan, paid, owed, signIn }: PersonRead) {
  const [newest] = owed;
  const devices = signIn.sessions === 1 ? "1 device" : `${signIn.sessions} devices`;
  return (
    <Figures
      figures={[
        [
          "Plan",
          plan ? PLAN_NAMES[plan.tier] : "None",
          plan && (
            <Fragment key="plan">
              Until <PlanEnd {...plan} isDay />
            </Fragment>
          ),
        ],
        ["Paid in the last 365 days", paid ? formatMoney(paid.amount, paid.currency) : "Nothing"],
        [
          "Owes",
          owed.map(({ amount, currency }) => formatMoney(amount, currency)).join(" + ") || "Nothing",
          newest ? <State key="why" word={newest.why ?? "Not paid yet"} tone="bad" /> : "No unpaid invoice",
        ],
        [
          "Last seen",
          <Moment key="seen" instant={signIn.lastSeen} isDay />,
          signIn.sessions === 0 ? "Signed in nowhere" : `Signed in on ${devices}`,
        ],
      ]}
    />
  );
}

function Timeline({ page: { rows, next, previous }, query }: { page: ListPage<Entry>; query: string }) {
  return (
    <>
      <Table
        id="table-history"
        label="Table of activity"
        rows={rows}
        columns={COLUMNS}
        keyOf={({ key }) => key}
      />
      {(next || previous) && (
        <nav aria-label="Pages of activity" className="console-pages">
          {previous && <PageLink href={`${query}#history`}>Newest</PageLink>}
          {previous && <PageLink href={`${query}before=${previous}#history`}>Newer</PageLink>}
          {next && <PageLink href={`${query}after=${next}#history`}>Older</PageLink>}
        </nav>
      )}
    </>
  );
}

const COLUMNS: Column<Entry>[] = [
  { header: "When (UTC)", cell: ({ at }) => <Moment instant={at} /> },
  { header: "Kind", isPlain: true, cell: ({ topic }) => topic },
  {
    header: "What",
    isText: true,
    isPlain: true,
    cell: ({ text, href }) => (href ? <PageLink href={href}>{text}</PageLink> : text),
  },
];
