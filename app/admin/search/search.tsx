import { type ClientLoaderFunctionArgs, redirect } from "react-router";
import { PageLink } from "../../ui/page-link.tsx";
import { whyFailed } from "../../ui/send-form.ts";
import { ConsolePage } from "../console-page.tsx";
import { type Column, Table } from "../lists/table.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/search.ts";
import { type Found, onlyHit, search } from "./search.server.ts";
import { CHOOSE, countsOf, type Hit } from "./search-path.ts";

interface Answer extends Found {
  typed: string;
  isFailed?: boolean;
}

/** A redirect to the only possible hit, or a choice. */
export async function loader(args: Route.LoaderArgs): Promise<Answer> {
  const { app } = await requireOperator(args);
  const { searchParams } = new URL(args.request.url);
  const typed = searchParams.get("q") ?? "";
  const isOffered = searchParams.has(CHOOSE);
  const found = await search(app, typed, !isOffered);
  const only = isOffered ? null : onlyHit(found);
  if (only) throw redirect(only.href, 303);
  return { typed: typed.trim(), ...found };
}

/** The hits, or why they could not be fetched, which the dialog shows. */
export async function clientLoader({ request, serverLoader }: ClientLoaderFunctionArgs) {
  return serverLoader<typeof loader>().catch((error: unknown): Answer => {
    const typed = new URL(request.url).searchParams.get("q")?.trim() ?? "";
    return { typed, hits: [], note: whyFailed(error), isFailed: true };
  });
}

export default function Search({ loaderData: { typed, hits, note, isFailed } }: Route.ComponentProps) {
  return (
    <ConsolePage title="Search">
      {typed === "" ? (
        <p className="text-quiet">
          Type the beginning of an email address or a name, or a whole promo code, a number of a person, a
          session, an invoice or a job, what a job does, or an id from Stripe (cus_, sub_, in_, pi_, cs_, ch_,
          re_, evt_, price_).
        </p>
      ) : (
        <p role="status">
          {!isFailed && (
            <>
              {hits.length === 0 ? "Nothing found for" : "Found for"} “<bdi>{typed}</bdi>”
              {hits.length === 0 ? "." : `: ${countsOf(hits)}.`}{" "}
            </>
          )}
          {note}
        </p>
      )}
      {hits.length > 0 && (
        <Table label="Table of what was found" rows={hits} columns={COLUMNS} keyOf={({ href }) => href} />
      )}
    </ConsolePage>
  );
}

const COLUMNS: Column<Hit>[] = [
  {
    header: "Found",
    cell: ({ title, href }) => (
      <PageLink href={href}>
        <bdi>{title}</bdi>
      </PageLink>
    ),
  },
  { header: "What it is", cell: ({ kind }) => kind },
  { header: "More", cell: ({ detail }) => <bdi>{detail}</bdi> },
];
