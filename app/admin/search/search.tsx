import { type ClientLoaderFunctionArgs, redirect } from "react-router";
import { PageLink } from "../../ui/page-link.tsx";
import { whyFailed } from "../../ui/send-form.ts";
import { isolate } from "../../ui/typed-text.ts";
import { capitalize } from "../capitalize.ts";
import { ConsolePage, Facts, type MaybeFact } from "../console-page.tsx";
import { requireOperator } from "../operator.server.ts";
import type { Route } from "./+types/search.ts";
import { HitWords } from "./hit-words.tsx";
import { type Found, onlyHit, search } from "./search.server.ts";
import { CHOOSE, groupHits } from "./search-path.ts";

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
    <ConsolePage title={typed ? `Search: “${isolate(typed)}”` : "Search"}>
      {typed && (note || hits.length === 0) && (
        <p role="status">
          {!isFailed && hits.length === 0 && (
            <>
              Nothing found for “<bdi>{typed}</bdi>”.{" "}
            </>
          )}
          {note}
        </p>
      )}
      {hits.length === 0 && <Facts facts={FINDABLE} />}
      {groupHits(hits).map(({ counted, found }) => (
        <section key={counted} aria-label={counted} className="console-part">
          <h2>{capitalize(counted)}</h2>
          <ul className="console-hits">
            {found.map((hit) => (
              <li key={hit.href}>
                <HitWords {...hit}>
                  <PageLink href={hit.href}>
                    <bdi>{hit.title}</bdi>
                  </PageLink>
                </HitWords>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </ConsolePage>
  );
}

const FINDABLE: MaybeFact[] = [
  ["People, waitlist", "by the beginning of an email address or a name, or a number of theirs"],
  ["Promo codes", "by the whole code"],
  ["Invoices", "by the number"],
  ["Emails", "by the whole address they went to"],
  ["Jobs", "by the number, or what they do: send mail"],
  ["Stripe", "by an id: cus_, sub_, in_, pi_, cs_, ch_, re_, evt_, price_"],
];
