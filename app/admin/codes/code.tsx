import { data, redirect } from "react-router";
import { Address } from "../../auth/unverified-notice.tsx";
import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import { findPromoCode, setPaused } from "../../promo/manage-codes.server.ts";
import { normalizePromoCode, stateOfPromoCode } from "../../promo/rules.ts";
import { ButtonLink, SubmitButton } from "../../ui/button.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { drawQrCode } from "../../ui/qr-code.server.ts";
import { QrCode } from "../../ui/qr-code.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { BarChart } from "../chart/chart.tsx";
import { beforeOf, besideBefore, sumOf } from "../chart/points.ts";
import {
  ConsolePage,
  ConsolePart,
  Facts,
  Figures,
  formatCount,
  Moment,
  State,
  type StateProps,
  Trend,
} from "../console-page.tsx";
import { type Flashes, flashIn } from "../flash.ts";
import { readCounted } from "../lists/list.server.ts";
import { List } from "../lists/list.tsx";
import type { Column } from "../lists/table.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/code.ts";
import { describeUses, MOST_A_DAY, pathOfCode, STATES } from "./code-words.ts";
import { countRedemptionsByDay, type ListedRedemption, promoLink, redemptionsOf } from "./lists.server.ts";
import { readPauseOrder } from "./pause-order.server.ts";
import { historyFacts, termsFacts } from "./terms.tsx";

const FLASHES: Flashes = {
  created: ["good", "Created. Share the link below, or the code itself."],
  saved: ["good", "Saved. It counts for everyone who redeems the code from now on."],
  same: ["good", "Nothing was changed."],
  paused: [
    "good",
    "Paused. Nobody can redeem it until you resume it. Those who have redeemed it keep their plan.",
  ],
  "paused-already": ["good", "It was paused already."],
  resumed: ["good", "Resumed. It can be redeemed again, within its dates and uses."],
  "resumed-already": ["good", "It was not paused."],
};

/** Fewer than in other lists: the page has a chart, too. */
const SHOWN_REDEMPTIONS = 20;

export const handle: RouteHandle = { flash: flashIn(FLASHES) };

export async function loader(args: Route.LoaderArgs) {
  const { db, config } = await requireOperator(args);
  const row = await findPromoCode(db, normalizePromoCode(args.params.code));
  if (!row) throw data(null, { status: 404 });
  const link = promoLink(config.publicOrigin, row.code);
  const redemptions = redemptionsOf(row.code);
  const query = redemptions.readQuery(new URL(args.request.url).searchParams);
  return {
    row,
    state: stateOfPromoCode(row, new Date()),
    link,
    qrCode: drawQrCode(link),
    days: besideBefore(await countRedemptionsByDay(db, row.code)),
    query,
    page: await readCounted(db, redemptions, query, SHOWN_REDEMPTIONS),
  };
}

export async function action(args: Route.ActionArgs) {
  const { db, operator } = await requireOperator(args);
  const isPaused = await readPauseOrder(args.request);
  const code = normalizePromoCode(args.params.code);
  const outcome = await setPaused(db, operator, code, isPaused);
  if (!outcome.ok) throw data(null, { status: outcome.status });
  const said = `${isPaused ? "paused" : "resumed"}${outcome.isChanged ? "" : "-already"}`;
  return redirect(`${pathOfCode(code)}?said=${said}`, 303);
}

export default function Code({ loaderData }: Route.ComponentProps) {
  const { row, state, link, qrCode, days, query, page } = loaderData;
  return (
    <ConsolePage
      title={row.code}
      above={{ href: "/admin/codes", label: "Promo codes" }}
      actions={
        <PostForm action={pathOfCode(row.code)} className="console-actions">
          <ButtonLink href={`${pathOfCode(row.code)}/edit`} isQuiet>
            Edit
          </ButtonLink>
          <input type="hidden" name="order" value={row.active ? "pause" : "resume"} />
          <SubmitButton isQuiet pendingLabel={row.active ? "Pausing…" : "Resuming…"}>
            {row.active ? "Pause" : "Resume"}
          </SubmitButton>
        </PostForm>
      }
    >
      <Figures
        figures={[
          ["Redeemed", describeUses(row), <State key="state" {...STATES[state]} />],
          [
            `In the last ${days.length} days`,
            formatCount(sumOf(days)),
            <Trend
              key="days"
              value={sumOf(days)}
              before={beforeOf(days)}
              than={`in the ${days.length} before`}
            />,
          ],
          [
            "Stops working",
            row.expiresAt ? <Moment key="end" instant={row.expiresAt} isDay /> : "Never",
            row.maxUses !== null && `${formatCount(Math.max(row.maxUses - row.usedCount, 0))} uses are left`,
          ],
        ]}
      />
      <div className="console-parts">
        <ConsolePart id="terms" title="Terms">
          <Facts
            facts={[
              ...termsFacts(row),
              ["Note", <bdi key="note">{row.note ?? "–"}</bdi>],
              ["Batch", <BatchOf key="batch" id={row.batchId} />],
              ...historyFacts(
                row.batchId ? "promo_batch" : "promo_code",
                row.batchId ?? row.code,
                row.createdAt,
              ),
            ]}
          />
        </ConsolePart>
        <ConsolePart id="link" title="Link">
          <p>
            <PageLink href={link} className="break-all">
              {link}
            </PageLink>
          </p>
          <QrCode picture={qrCode} label={`QR code of the link with ${row.code}`} />
        </ConsolePart>
      </div>
      <ConsolePart id="days" title="Redemptions per day">
        <BarChart
          title={`The last ${days.length} days`}
          of="Day (UTC)"
          points={days}
          span={`${days.length} days`}
        />
        {days.some(({ value }) => value >= MOST_A_DAY) && (
          <p>{formatCount(MOST_A_DAY)} stands for that many a day or more.</p>
        )}
      </ConsolePart>
      <ConsolePart id="redemptions" title="Who redeemed it">
        <List
          of="redemptions"
          query={query}
          page={page}
          columns={REDEMPTION_COLUMNS}
          csv={`${pathOfCode(row.code)}/redemptions.csv`}
        />
      </ConsolePart>
    </ConsolePage>
  );
}

function BatchOf({ id }: { id: string | null }) {
  return id ? <PageLink href={`/admin/batches/${id}`}>Its batch</PageLink> : "None";
}

const REDEMPTION_COLUMNS: Column<ListedRedemption>[] = [
  {
    header: "Who",
    cell: ({ userId, email, sameMailbox }) =>
      userId && email ? (
        <>
          <PageLink href={`/admin/people/${userId}`}>
            <Address email={email} />
          </PageLink>
          {sameMailbox && (
            <>
              {" "}
              <State word="same mailbox as" tone="bad" />{" "}
              <PageLink href={`/admin/people/${sameMailbox.id}`}>{sameMailbox.email}</PageLink>
            </>
          )}
        </>
      ) : (
        <span className="text-quiet">Account deleted</span>
      ),
  },
  { header: "Redeemed (UTC)", cell: ({ redeemedAt }) => <Moment instant={redeemedAt} /> },
  { header: "Plan", cell: ({ tier }) => PLAN_NAMES[tier] },
  { header: "Until (UTC)", cell: ({ expiresAt }) => <Moment instant={expiresAt} /> },
  { header: "State", cell: (row) => <State {...stateOfRedemption(row)} /> },
];

function stateOfRedemption({ revokedAt, isOver }: ListedRedemption): StateProps {
  if (revokedAt) return { word: "Revoked", tone: "bad" };
  return isOver ? { word: "Over", tone: "quiet" } : { word: "Held", tone: "good" };
}
