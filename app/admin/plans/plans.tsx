import { redirect } from "react-router";
import Stripe from "stripe";
import {
  readCatalogueState,
  readMirroredProducts,
  readSyncState,
  syncCatalogueAs,
} from "../../billing/catalogue-state.server.ts";
import { formatMoney, type Price } from "../../billing/plans.ts";
import { fromContext } from "../../http/context.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import type { News, RouteHandle } from "../../ui/route-handle.ts";
import { ConsolePage, ConsolePart, Facts } from "../console-page.tsx";
import { Moment } from "../moment.tsx";
import { requireOperator } from "../operator.server.ts";
import { TableFrame } from "../table-frame.tsx";
import type { Route } from "./+types/plans.ts";
import { ProductTable } from "./product-table.tsx";

/** Subscriptions of a retired price that are counted; of more it says so. */
const COUNTED = 1_000;

export const handle: RouteHandle = { news: (said) => NEWS.get(said) };

export async function loader(args: Route.LoaderArgs) {
  await requireOperator(args);
  const { db, config } = fromContext(args.context).app;
  const [state, products, sync] = await Promise.all([
    readCatalogueState(db, config, COUNTED),
    readMirroredProducts(db),
    readSyncState(db),
  ]);
  return { ...state, products, sync };
}

/** Asks Stripe for products and prices now. */
export async function action(args: Route.ActionArgs) {
  const operator = await requireOperator(args);
  const { app, state } = fromContext(args.context);
  if (!app.payments.isOn) return say("off");
  try {
    await syncCatalogueAs(app.payments.stripe, app.db, operator);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    app.log.warn({ error, id: state.id }, "the catalogue could not be mirrored");
    return say("away");
  }
  return say("synced");
}

const say = (key: string) => redirect(`/admin/plans?said=${key}`, 303);

const NEWS: ReadonlyMap<string, News> = new Map([
  ["synced", { tone: "good", text: "Stripe was asked. This is what it sells now." }],
  [
    "away",
    {
      tone: "bad",
      text: "Stripe didn’t answer, so nothing was changed. The site goes on with what it knows.",
    },
  ],
  ["off", { tone: "bad", text: "Payments are off, so there is nothing to ask." }],
]);

export default function Plans({ loaderData }: Route.ComponentProps) {
  const { currency, paymentsOff, plans, products, skipped, retired, sync } = loaderData;
  const onSale = new Set(plans.flatMap((plan) => plan.prices.map(({ id }) => id)));
  return (
    <ConsolePage title="Plans" actions={<AskStripe />}>
      {paymentsOff && (
        <Notice tone="bad">{`Nothing can be bought: payments are off, ${paymentsOff}.`}</Notice>
      )}
      <Facts
        facts={[
          ["Asked Stripe last", <Moment key="synced" instant={sync.syncedAt} />],
          [
            "Being asked now",
            sync.waiting
              ? sync.waiting.lastError
                ? `Tried again soon. The last try failed: ${sync.waiting.lastError}`
                : "Yes"
              : "No",
          ],
          ["Sold in", currency.toUpperCase()],
        ]}
      />
      <ConsolePart id="products" title="What the site knows of">
        <p className="text-quiet">
          Products and prices are changed at Stripe; the site follows within seconds. A product’s metadata
          says its tier and its place (position).
        </p>
        <ProductTable products={products} onSale={onSale} />
      </ConsolePart>
      <ConsolePart id="skipped" title="Active at Stripe and not on sale here">
        {skipped.length === 0 ? (
          <p className="text-quiet">Nothing: all that’s active at Stripe is on sale.</p>
        ) : (
          <Rows
            of="prices that are not on sale"
            headers={["Product", "Stripe id", "Why not"]}
            rows={skipped.map(({ id, plan, reason }) => [plan, id, `It ${reason}.`])}
          />
        )}
      </ConsolePart>
      <ConsolePart id="retired" title="No longer on sale and still paid">
        {retired.length === 0 ? (
          <p className="text-quiet">Nobody pays a price that’s no longer on sale.</p>
        ) : (
          <Rows
            of="retired prices"
            headers={["Product", "Stripe id", "Price", "Subscriptions"]}
            rows={retired.map((price) => [
              price.plan,
              price.id,
              amountOf(price),
              `${price.subscriptions.toLocaleString("en-US")}${price.isAll ? "" : " or more"}`,
            ])}
          />
        )}
      </ConsolePart>
    </ConsolePage>
  );
}

function AskStripe() {
  return (
    <PostForm>
      <SubmitButton pendingLabel="Asking…">Ask Stripe now</SubmitButton>
    </PostForm>
  );
}

function Rows(props: { of: string; headers: readonly string[]; rows: readonly (readonly string[])[] }) {
  return (
    <TableFrame label={`Table of ${props.of}`}>
      <table>
        <thead>
          <tr>
            {props.headers.map((header) => (
              <th key={header}>{header}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {props.rows.map((cells) => (
            <tr key={cells[1]}>
              {cells.map((cell, index) => (
                <td key={props.headers[index]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function amountOf({ unitAmount, currency, interval }: Omit<Price, "id">): string {
  return `${formatMoney(unitAmount, currency)} a ${interval}`;
}
