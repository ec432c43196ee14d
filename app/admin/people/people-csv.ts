import { fromContext } from "../../http/context.server.ts";
import { CSV_CHUNK, csvResponse } from "../lists/csv.server.ts";
import { requireFreshOperator } from "../operator.server.ts";
import type { Route } from "./+types/people-csv.ts";
import { listPeople, type PersonRow, readPeopleQuery } from "./people-list.server.ts";

/** The list of people as a file. */
export async function loader(args: Route.LoaderArgs) {
  const actor = await requireFreshOperator(args);
  const { db } = fromContext(args.context).app;
  const search = new URL(args.request.url).searchParams;
  const query = readPeopleQuery(search);
  return csvResponse<PersonRow>(
    args.request,
    { db, actor },
    {
      name: "people",
      filters: query.filters,
      columns: [
        ["id", ({ id }) => id],
        ["email", ({ email }) => email],
        ["name", ({ name }) => name],
        ["confirmed", ({ isConfirmed }) => isConfirmed],
        ["signed_up", ({ since }) => since],
        ["tier", ({ plan }) => plan?.tier ?? null],
        ["source", ({ plan }) => plan?.source ?? null],
        ["promo_code", ({ plan }) => plan?.promoCode ?? null],
        ["until", ({ plan }) => plan?.expiresAt ?? null],
        ["renews", ({ plan }) => plan?.renews ?? null],
      ],
      readChunk: (after) => {
        const from = after === null ? null : readPeopleQuery(new URLSearchParams({ after })).from;
        return listPeople(db, { ...query, from }, CSV_CHUNK);
      },
    },
  );
}
