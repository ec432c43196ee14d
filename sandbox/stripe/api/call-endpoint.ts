import type { Transaction } from "../transaction.ts";
import { StripeApiError } from "./errors.ts";
import { findEndpoint } from "./find-endpoint.ts";
import type { FormFields } from "./form.ts";

/**
 * Does what a call of the API would do, within a transaction: for pages, which may do nothing that a seller could not.
 *
 * @throws StripeApiError what Stripe answers; nothing of a call that is refused is kept, but a payment that was tried is
 */
export async function callEndpoint<Answer extends object>(
  tx: Transaction,
  method: "GET" | "POST" | "DELETE",
  path: string,
  params: FormFields = {},
): Promise<Answer> {
  const { endpoint, id } = findEndpoint(method, path);
  await tx.client.query("SAVEPOINT endpoint");
  const answer = await endpoint({ tx, params, id, publicOrigin: tx.publicOrigin }).catch(async (error) => {
    if (error instanceof StripeApiError) await tx.client.query("ROLLBACK TO SAVEPOINT endpoint");
    throw error;
  });
  if (answer instanceof StripeApiError) throw answer;
  return answer as Answer;
}
