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
import { MOST_A_DAY, pathOfCode, STATES } from "./code-words.ts";
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
const SHOWN_REDEMPTIONS = 15;

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
          <State {...STATES[state]} />
          <ButtonLink href={`${pathOfCode(row.code)}/edit`} isQuiet>
            Edit
          </ButtonLink>
          <input type="hidden" name="do" value={row.active ? "pause" : "resume"} />
          <SubmitButton isQuiet pendingLabel={row.active ? "Pausing…" : "Resuming…"}>
            {row.active ? "Pause" : "Resume"}
          </SubmitButton>
        </PostForm>
      }
    >
      <Figures
        figures={[
          [
            "Redeemed",
            redeemedOf(row),
            row.maxUses !== null && `${formatCount(Math.max(row.maxUses - row.usedCount, 0))} uses left`,
          ],
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
          ["Stops working", row.expiresAt ? <Moment key="end" instant={row.expiresAt} isDay /> : "Never"],
        ]}
      />
      <div className="console-parts">
        <ConsolePart id="terms" title="Terms">
          <Facts
            facts={[
              ...termsFacts(row),
              ["Note", <bdi key="note">{row.note ?? "–"}</bdi>],
              row.batchId && [
                "Batch",
                <PageLink key="batch" href={`/admin/batches/${row.batchId}`}>
                  Its batch
                </PageLink>,
              ],
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
          <p>
            <a href={svgOf(qrCode)} download={`${row.code}.svg`}>
              Download QR code
            </a>
          </p>
        </ConsolePart>
      </div>
      <section className="console-part">
        <BarChart
          title={`Redemptions, last ${days.length} days`}
          of="Day (UTC)"
          figure="Redeemed"
          points={days}
          span={`${days.length} days`}
        />
        {days.some(({ value }) => value >= MOST_A_DAY) && (
          <p>{formatCount(MOST_A_DAY)} means that many a day, or more.</p>
        )}
      </section>
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

type Data = Route.ComponentProps["loaderData"];

function svgOf({ size, path }: Data["qrCode"]): string {
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 ${size} ${size}' shape-rendering='crispEdges'>`;
  return `data:image/svg+xml,${svg}<path fill='white' d='M0 0h${size}v${size}H0z'/><path d='${path}' stroke='black'/></svg>`;
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
  { header: "State", isPlain: true, cell: (row) => <State {...stateOfRedemption(row)} /> },
  { header: "Plan", isPlain: true, cell: ({ tier }) => PLAN_NAMES[tier] },
  { header: "Redeemed (UTC)", isWide: true, cell: ({ redeemedAt }) => <Moment instant={redeemedAt} /> },
  { header: "Until (UTC)", cell: ({ expiresAt }) => <Moment instant={expiresAt} isDay /> },
];

function redeemedOf({ usedCount, maxUses }: Data["row"]): string {
  return maxUses === null ? formatCount(usedCount) : `${formatCount(usedCount)} of ${formatCount(maxUses)}`;
}

function stateOfRedemption({ revokedAt, isOver }: ListedRedemption): StateProps {
  if (revokedAt) return { word: "Revoked", tone: "bad" };
  return isOver ? { word: "Over", tone: "quiet" } : { word: "Active", tone: "good" };
}
