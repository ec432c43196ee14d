import { data, redirect } from "react-router";
import { readPromoBatch, setBatchPaused } from "../../promo/batches.server.ts";
import { ButtonLink } from "../../ui/button.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { isolate } from "../../ui/typed-text.ts";
import {
  ConsolePage,
  ConsolePart,
  Facts,
  Figures,
  formatCount,
  Moment,
  Progress,
  State,
} from "../console-page.tsx";
import { type Flashes, flashIn } from "../flash.ts";
import { requireOperator } from "../operator.server.ts";
import { ConfirmedAction } from "../press.tsx";
import type { Route } from "./+types/batch.ts";
import { readPauseOrder } from "./pause-order.server.ts";
import { historyFacts, termsFacts } from "./terms.tsx";

const FLASHES: Flashes = {
  paused: ["good", "Paused. Nobody can redeem any of its codes until you resume them."],
  resumed: ["good", "Resumed. Its codes can be redeemed again, within their dates and uses."],
  waits: ["good", "Nothing was changed: its codes are still being made."],
};

export const handle: RouteHandle = { flash: flashIn(FLASHES) };

export async function loader(args: Route.LoaderArgs) {
  const { db } = await requireOperator(args);
  const batch = await readPromoBatch(db, args.params.batch);
  if (!batch) throw data(null, { status: 404 });
  return { batch };
}

export async function action(args: Route.ActionArgs) {
  const { db, operator } = await requireOperator(args);
  const isPaused = await readPauseOrder(args.request);
  const outcome = await setBatchPaused(db, operator, args.params.batch, isPaused);
  if (!outcome.ok && outcome.status === 404) throw data(null, { status: 404 });
  const said = outcome.ok ? (isPaused ? "paused" : "resumed") : "waits";
  return redirect(`/admin/batches/${encodeURIComponent(args.params.batch)}?said=${said}`, 303);
}

type Batch = Route.ComponentProps["loaderData"]["batch"];

export default function BatchPage({ loaderData: { batch } }: Route.ComponentProps) {
  return (
    <ConsolePage
      title={isolate(batch.name)}
      above={{ href: "/admin/batches", label: "Batches" }}
      actions={batch.finishedAt && <Actions batch={batch} />}
    >
      {batch.finishedAt && <BatchFigures batch={batch} />}
      <div className="console-parts">
        {!batch.finishedAt && (
          <Progress
            title="Being made"
            words={`${formatCount(batch.made)} of ${formatCount(batch.size)} codes made`}
            value={batch.made}
            max={batch.size}
          />
        )}
        <ConsolePart id="terms" title="Terms">
          <Facts
            facts={[
              ...termsFacts(batch),
              ["Uses of each", batch.maxUses?.toLocaleString("en-US") ?? "No limit"],
              ...historyFacts("promo_batch", batch.id, batch.createdAt),
            ]}
          />
        </ConsolePart>
      </div>
    </ConsolePage>
  );
}

function BatchFigures({ batch: { size, redeemed, paused, maxUses, expiresAt } }: { batch: Batch }) {
  const some = paused === size ? "All paused" : `${formatCount(paused)} paused`;
  return (
    <Figures
      figures={[
        [
          "Codes",
          formatCount(size),
          <State key="paused" word={paused > 0 ? some : "None paused"} tone={paused > 0 ? "bad" : "quiet"} />,
        ],
        ["Redeemed", formatCount(redeemed), maxUses !== null && `of ${formatCount(size * maxUses)} uses`],
        ["Stops working", expiresAt ? <Moment key="end" instant={expiresAt} isDay /> : "Never"],
      ]}
    />
  );
}

function Actions({ batch: { id, size, paused } }: { batch: Batch }) {
  const isPaused = paused === size;
  const path = `/admin/batches/${id}`;
  return (
    <div className="console-actions">
      <ButtonLink href={`${path}/codes.csv`}>Download the codes (CSV)</ButtonLink>
      <ButtonLink href={`/admin/codes?batch=${id}`} isQuiet>
        List the codes
      </ButtonLink>
      <ConfirmedAction
        title={isPaused ? "Resume all codes" : "Pause all codes"}
        fields={{ do: isPaused ? "resume" : "pause" }}
        label={isPaused ? "Resume them" : "Pause them"}
        pendingLabel={isPaused ? "Resuming…" : "Pausing…"}
        isSafe
      >
        <p>
          {isPaused
            ? "All of them can be redeemed again, also those that were paused one by one."
            : "Nobody can redeem any of them until you resume them. Those who have redeemed one keep their plan."}
        </p>
      </ConfirmedAction>
    </div>
  );
}
