import { formatMoney, type Price } from "../../billing/plans.ts";
import { PLAN_NAMES, type Tier } from "../../entitlements/tiers.ts";
import { TableFrame } from "../table-frame.tsx";

interface MirroredProduct {
  id: string;
  name: string;
  active: boolean;
  tier: Tier;
  position: number;
  prices: (Price & { active: boolean })[];
}

interface ProductTableProps {
  products: readonly MirroredProduct[];
  /** The ids of the prices on sale. */
  onSale: ReadonlySet<string>;
}

/** The mirror of Stripe's products: in the order of the pages, those that are hidden among them. */
export function ProductTable({ products, onSale }: ProductTableProps) {
  if (products.length === 0) return <p className="text-quiet">Stripe has no product with a tier.</p>;
  return (
    <TableFrame label="Table of products">
      <table>
        <thead>
          <tr>
            <th>Product</th>
            <th>State</th>
            <th>Tier</th>
            <th className="number">Place</th>
            <th>Prices</th>
          </tr>
        </thead>
        <tbody>
          {products.map((product) => (
            <tr key={product.id}>
              <td>
                {product.name}
                <span className="block text-quiet">{product.id}</span>
              </td>
              <td>
                <ProductState product={product} onSale={onSale} />
              </td>
              <td>
                {product.tier} <span className="text-quiet">({PLAN_NAMES[product.tier]})</span>
              </td>
              <td className="number">{product.position}</td>
              <td>
                <Prices prices={product.prices} onSale={onSale} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function ProductState({ product, onSale }: { product: MirroredProduct; onSale: ReadonlySet<string> }) {
  if (!product.active)
    return (
      <span className="state" data-tone="quiet">
        Hidden
      </span>
    );
  const isSold = product.prices.some(({ id }) => onSale.has(id));
  return (
    <span className="state" data-tone={isSold ? "good" : "bad"}>
      {isSold ? "On sale" : "No price on sale"}
    </span>
  );
}

/** The active prices, and how many are archived. */
function Prices({ prices, onSale }: { prices: MirroredProduct["prices"]; onSale: ReadonlySet<string> }) {
  const active = prices.filter((price) => price.active);
  const archived = prices.length - active.length;
  return (
    <>
      {active.map(({ id, unitAmount, currency, interval }) => (
        <span key={id} className="block">
          {`${formatMoney(unitAmount, currency)} a ${interval}`}
          {!onSale.has(id) && ", not on sale"} <span className="text-quiet">{id}</span>
        </span>
      ))}
      {archived > 0 && <span className="block text-quiet">{`${archived} archived`}</span>}
      {prices.length === 0 && <span className="text-quiet">None</span>}
    </>
  );
}
