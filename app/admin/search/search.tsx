import { redirect } from "react-router";
import { fromContext } from "../../http/context.server.ts";
import { PageLink } from "../../ui/page-link.tsx";
import { ConsolePage } from "../console-page.tsx";
import { requireOperator } from "../operator.server.ts";
import { TableFrame } from "../table-frame.tsx";
import type { Route } from "./+types/search.ts";
import { type Hit, onlyHit, search } from "./search.server.ts";

/** What the search box of the console leads to: the only thing it can mean, or a choice. */
export async function loader(args: Route.LoaderArgs) {
  await requireOperator(args);
  const typed = new URL(args.request.url).searchParams.get("q") ?? "";
  const found = await search(fromContext(args.context).app, typed);
  const only = onlyHit(found);
  if (only) throw redirect(only.href, 303);
  return { typed: typed.trim(), ...found };
}

export default function Search({ loaderData: { typed, hits, note } }: Route.ComponentProps) {
  return (
    <ConsolePage title="Search">
      {typed === "" ? (
        <p className="text-quiet">
          Type the beginning of an email address or a name, or a whole promo code, a number of a person or a
          session, or an id from Stripe (cus_, sub_, in_, pi_, cs_, ch_, re_, evt_, price_).
        </p>
      ) : (
        <p role="status">
          {hits.length === 0 ? "Nothing found for" : "Found for"} “<bdi>{typed}</bdi>”
          {hits.length === 0 ? "." : ":"} {note}
        </p>
      )}
      {hits.length > 0 && <Hits hits={hits} />}
    </ConsolePage>
  );
}

function Hits({ hits }: { hits: readonly Hit[] }) {
  return (
    <TableFrame label="Table of what was found">
      <table>
        <thead>
          <tr>
            <th>Found</th>
            <th>What it is</th>
            <th>More</th>
          </tr>
        </thead>
        <tbody>
          {hits.map(({ kind, title, detail, href }) => (
            <tr key={href}>
              <td>
                <PageLink href={href}>
                  <bdi>{title}</bdi>
                </PageLink>
              </td>
              <td>{kind}</td>
              <td>
                <bdi>{detail}</bdi>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}
