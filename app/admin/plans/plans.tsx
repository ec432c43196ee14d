import { redirect } from "react-router";
import Stripe from "stripe";
import {
  readCatalogueState,
  readMirroredProducts,
  readSyncState,
  syncCatalogueAs,
} from "../../billing/catalogue-state.server.ts";
import { chargedAmount } from "../../billing/plans.ts";
import { PLAN_NAMES } from "../../entitlements/tiers.ts";
import { fromContext } from "../../http/context.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import type { RouteHandle } from "../../ui/route-handle.ts";
import { ConsolePage, ConsolePart, formatCount, Moment, State, type StateProps } from "../console-page.tsx";
import { type Flashes, flashIn } from "../flash.ts";
import { type Column, Table } from "../lists/table.tsx";
import { requireOperator } from "../operator.server.ts";
import { stripeDashboard } from "../stripe-dashboard.server.ts";
import type { Route } from "./+types/plans.ts";

/** Subscriptions of a retired price are counted up to this number. */
const COUNTED = 1_000;

const FLASHES: Flashes = {
  synced: ["good", "Synced from Stripe. This is what it sells now."],
  away: ["bad", "Stripe didn’t answer, so nothing was changed. The site keeps what it knew."],
  off: ["bad", "Payments are off, so there is nothing to sync."],
};

export const handle: RouteHandle = { flash: flashIn(FLASHES) };

export async function loader(args: Route.LoaderArgs) {
  const { db, config } = await requireOperator(args);
  const [state, products, sync] = await Promise.all([
    readCatalogueState(db, config, COUNTED),
    readMirroredProducts(db),
    readSyncState(db),
  ]);
  return { ...state, products, sync, stripe: stripeDashboard(config) };
}

export async function action(args: Route.ActionArgs) {
  const { app, operator } = await requireOperator(args);
  if (!app.payments.isOn) return say("off");
  try {
    await syncCatalogueAs(app.payments.stripe, app.db, operator);
  } catch (error) {
    if (!(error instanceof Stripe.errors.StripeError)) throw error;
    app.log.warn({ error, id: fromContext(args.context).state.id }, "the catalogue could not be mirrored");
    return say("away");
  }
  return say("synced");
}

const say = (key: string) => redirect(`/admin/plans?said=${key}`, 303);

export default function Plans({ loaderData }: Route.ComponentProps) {
  const { currency, paymentsOff, plans, products, skipped, retired, sync, stripe } = loaderData;
  const onSale = new Set(plans.flatMap((plan) => plan.prices.map(({ id }) => id)));
  return (
    <ConsolePage
      title="Plans"
      actions={
        <PostForm className="console-actions">
          <span className="text-quiet">
            Last synced <Moment instant={sync.syncedAt} /> (UTC)
          </span>
          <SubmitButton isQuiet pendingLabel="Syncing…">
            Sync from Stripe
          </SubmitButton>
        </PostForm>
      }
    >
      {paymentsOff && (
        <Notice tone="bad">{`Nothing can be bought: payments are off, ${paymentsOff}.`}</Notice>
      )}
      {skipped.length > 0 && (
        <Notice tone="plain">
          <ul className="grid gap-1">
            {skipped.map((one) => (
              <Skipped key={one.id} {...one} stripe={stripe} />
            ))}
          </ul>
        </Notice>
      )}
      <ConsolePart id="products" title="Plans on sale">
        <p className="text-quiet">
          Sold in {currency.toUpperCase()}. Change products and prices at Stripe: the site follows within
          seconds. Set tier and position in the product’s metadata.
          {sync.waiting &&
            (sync.waiting.lastError
              ? ` The last sync failed, and is tried again soon: ${sync.waiting.lastError}`
              : " Syncing now.")}
        </p>
        <Table
          label="Table of products"
          rows={products}
          columns={productColumns(onSale, stripe)}
          keyOf={keyOf}
          none="Stripe has no product with a tier."
        />
      </ConsolePart>
      <ConsolePart id="retired" title="No longer on sale, still paid">
        <Table
          label="Table of retired prices"
          rows={retired}
          columns={retiredColumns(stripe)}
          keyOf={keyOf}
          none="None."
        />
      </ConsolePart>
    </ConsolePage>
  );
}

const keyOf = ({ id }: { id: string }) => id;

type Loaded = Route.ComponentProps["loaderData"];
type MirroredProduct = Loaded["products"][number];

/** Active at Stripe, and not on sale: a price, or a product without one. */
function Skipped({ id, plan, reason, stripe }: Loaded["skipped"][number] & { stripe: string }) {
  const isProduct = id.startsWith("prod_");
  return (
    <li>
      {`${isProduct ? "" : "A price of "}“${plan}” isn’t on sale: it ${reason}. `}
      <PageLink href={`${stripe}/${isProduct ? "products" : "prices"}/${id}`}>
        Change or archive it at Stripe
      </PageLink>
    </li>
  );
}

const retiredColumns = (stripe: string): Column<Loaded["retired"][number]>[] => [
  { header: "Product", cell: ({ plan }) => plan },
  {
    header: "Stripe id",
    width: "25rem",
    cell: ({ id }) => <PageLink href={`${stripe}/prices/${id}`}>{id}</PageLink>,
  },
  {
    header: "Subscriptions",
    isNumber: true,
    width: "8rem",
    cell: ({ subscriptions, isAll }) => `${formatCount(subscriptions)}${isAll ? "" : "+"}`,
  },
  { header: "Price", width: "23rem", cell: chargedAmount },
];

function productColumns(onSale: ReadonlySet<string>, stripe: string): Column<MirroredProduct>[] {
  return [
    {
      header: "Product",
      cell: ({ id, name }) => (
        <>
          {name}
          <PageLink href={`${stripe}/products/${id}`} className="block text-quiet">
            {id}
          </PageLink>
        </>
      ),
    },
    {
      header: "State",
      isPlain: true,
      width: "10rem",
      cell: (product) => <State {...stateOf(product, onSale)} />,
    },
    {
      header: "Tier",
      width: "15rem",
      cell: ({ tier }) => (
        <>
          {tier} <span className="text-quiet">({PLAN_NAMES[tier]})</span>
        </>
      ),
    },
    { header: "Position", isNumber: true, width: "8rem", cell: ({ position }) => position },
    {
      header: "Prices",
      isPlain: true,
      width: "23rem",
      cell: ({ prices }) => <Prices prices={prices} onSale={onSale} stripe={stripe} />,
    },
  ];
}

function stateOf({ active, prices }: MirroredProduct, onSale: ReadonlySet<string>): StateProps {
  if (!active) return { word: "Hidden", tone: "quiet" };
  return prices.some(({ id }) => onSale.has(id))
    ? { word: "On sale", tone: "good" }
    : { word: "No price on sale", tone: "bad" };
}

function Prices(props: { prices: MirroredProduct["prices"]; onSale: ReadonlySet<string>; stripe: string }) {
  const { prices, onSale, stripe } = props;
  const active = prices.filter((price) => price.active);
  const archived = prices.length - active.length;
  return (
    <>
      {active.map(({ id, ...price }) => (
        <span key={id} className="block">
          {chargedAmount(price)}
          {!onSale.has(id) && ", not on sale"}{" "}
          <PageLink href={`${stripe}/prices/${id}`} className="text-quiet">
            {id}
          </PageLink>
        </span>
      ))}
      {archived > 0 && <span className="block text-quiet">{`${archived} archived`}</span>}
      {prices.length === 0 && <span className="text-quiet">None</span>}
    </>
  );
}
