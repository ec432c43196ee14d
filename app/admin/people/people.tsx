import { Address } from "../../auth/unverified-notice.tsx";
import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import { PageLink } from "../../ui/page-link.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { ConsolePage, Moment, State } from "../console-page.tsx";
import { type Flashes, flashIn } from "../flash.ts";
import { loadList } from "../lists/list.server.ts";
import { List, placeOf } from "../lists/list.tsx";
import type { Column } from "../lists/table.tsx";
import type { Route } from "./+types/people.ts";
import { PEOPLE, type PersonRow } from "./people-list.server.ts";
import { PlanEnd } from "./person-words.tsx";
import { SOURCE_NAMES } from "./source-names.ts";

const FLASHES: Flashes = {
  deleted: ["good", "The account is deleted, and its owner gets an email that says so."],
};

export const handle: RouteHandle = { flash: flashIn(FLASHES) };

export async function loader(args: Route.LoaderArgs) {
  return loadList(args, PEOPLE);
}

const COLUMNS: readonly Column<PersonRow>[] = [
  {
    header: "Email",
    isText: true,
    sort: "email",
    cell: ({ id, email, state }) => (
      <>
        <PageLink href={`/admin/people/${id}`}>
          <Address email={email} />
        </PageLink>{" "}
        {state && <State {...state} />}
      </>
    ),
  },
  { header: "Name", isPlain: true, isText: true, cell: ({ name }) => name && <bdi>{name}</bdi> },
  { header: "Plan", isPlain: true, cell: ({ plan }) => plan && PLAN_NAMES[plan.tier] },
  {
    header: "From",
    isPlain: true,
    cell: ({ plan }) => plan && (plan.promoCode ?? SOURCE_NAMES[plan.source]),
  },
  { header: "Until (UTC)", cell: ({ plan }) => plan && <PlanEnd {...plan} isDay /> },
  {
    header: "Joined (UTC)",
    sort: "since",
    cell: ({ since }) => <Moment instant={since} isDay />,
  },
];

export default function People({ loaderData: { query, page } }: Route.ComponentProps) {
  return (
    <ConsolePage
      title="People"
      actions={
        page.rows.length > 1 && (
          <p className="text-quiet">{placeOf(page.rows.length, page.count, "people")}</p>
        )
      }
    >
      <List
        of="people"
        isCountHidden
        query={query}
        page={page}
        columns={COLUMNS}
        filters={[
          { name: "email", label: "Email begins with" },
          { name: "name", label: "Name begins with" },
          { name: "holds", label: "Access by", choices: { ...SOURCE_NAMES, none: "Nothing" } },
          { name: "plan", label: "Plan", choices: PLAN_NAMES },
          {
            name: "trouble",
            label: "Problem",
            choices: { payment: "Failed payment", dispute: "Open dispute", refund: "Failed refund" },
          },
          { name: "confirmed", label: "Email confirmed", choices: { yes: "Yes", no: "No" } },
          { name: "from", label: "Joined from", type: "date" },
          { name: "to", label: "Joined until", type: "date" },
        ]}
        csv="/admin/people.csv"
      />
    </ConsolePage>
  );
}
