import { z } from "zod";
import { readJson } from "../web.ts";
import { invalidRequest } from "./api/errors.ts";
import { inTransaction, type Site, type Transaction } from "./transaction.ts";

export const objectId = z.string().regex(/^\w{1,100}$/);

/** For tests and people: what the API has no call for, by a POST of JSON. Answers with the object it is about. */
export function controlOf<Schema extends z.ZodType>(
  schema: Schema,
  work: (tx: Transaction, asked: z.output<Schema>) => Promise<object>,
) {
  return async (request: Request, site: Site): Promise<Response> => {
    if (request.method !== "POST") return new Response(null, { status: 405, headers: { allow: "POST" } });
    const asked = schema.safeParse(await readJson(request));
    if (!asked.success) throw invalidRequest(z.prettifyError(asked.error));
    return Response.json(await inTransaction(site, null, (tx) => work(tx, asked.data)));
  };
}
