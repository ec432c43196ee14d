import type pg from "pg";
import type { Transaction } from "../transaction.ts";
import { InvalidParameterError, StripeApiError } from "./errors.ts";

/** An answer of the API; its body is stored as text, so that a replay is identical. */
export interface Answer {
  status: number;
  body: string;
  replayed: boolean;
}

/** The request, which must be identical when a key is reused. */
interface KeyedRequest {
  key: string;
  /** `POST /v1/customers` */
  endpoint: string;
  /** The form-encoded parameters, sorted. */
  params: string;
}

/**
 * Runs `execute` once per key and replays its answer, errors included, to every later request with that key.
 * Only parameters that fail validation leave the key unused, as at Stripe.
 * A second request that arrives meanwhile waits for the first one's row; after two seconds it gets Stripe's 409.
 * https://docs.stripe.com/api/idempotent_requests
 */
export async function onceForKey(
  tx: Transaction,
  request: KeyedRequest,
  execute: () => Promise<Answer>,
): Promise<Answer> {
  if (!(await claimKey(tx.client, request))) return replay(tx.client, request);
  const answer = await execute().catch(async (error: unknown) => {
    if (!(error instanceof StripeApiError) || error instanceof InvalidParameterError) throw error;
    await tx.client.query("ROLLBACK TO SAVEPOINT execution");
    return { status: error.status, body: error.toBody(), replayed: false };
  });
  await tx.client.query("UPDATE sandbox_stripe.idempotency_keys SET status = $2, body = $3 WHERE key = $1", [
    request.key,
    answer.status,
    answer.body,
  ]);
  return answer;
}

/** Whether the key is new, or old enough (24 hours) to be new again. Leaves a savepoint before the execution. */
async function claimKey(client: pg.ClientBase, { key, endpoint, params }: KeyedRequest): Promise<boolean> {
  try {
    await client.query("SET LOCAL lock_timeout = '2s'");
    const { rowCount } = await client.query(
      `INSERT INTO sandbox_stripe.idempotency_keys AS keys (key, endpoint, params) VALUES ($1, $2, $3)
       ON CONFLICT (key) DO UPDATE
         SET endpoint = excluded.endpoint, params = excluded.params, created_at = now()
         WHERE keys.created_at < now() - interval '24 hours'`,
      [key, endpoint, params],
    );
    await client.query("SET LOCAL lock_timeout TO DEFAULT; SAVEPOINT execution");
    return rowCount === 1;
  } catch (error) {
    // lock_not_available: https://www.postgresql.org/docs/current/errcodes-appendix.html
    throw error instanceof Error && "code" in error && error.code === "55P03" ? keyInUse(key) : error;
  }
}

async function replay(client: pg.ClientBase, { key, endpoint, params }: KeyedRequest): Promise<Answer> {
  const { rows } = await client.query<KeyedRequest & Answer>(
    "SELECT endpoint, params, status, body FROM sandbox_stripe.idempotency_keys WHERE key = $1",
    [key],
  );
  const [first] = rows;
  if (!first) throw keyInUse(key);
  if (first.endpoint === endpoint && first.params === params) {
    return { status: first.status, body: first.body, replayed: true };
  }
  const rule =
    first.endpoint === endpoint
      ? "with the same parameters they were first used with"
      : `for the same endpoint they were first used for ('${first.endpoint}' vs '${endpoint}')`;
  const advice = `Try using a key other than '${key}' if you meant to execute a different request.`;
  const message = `Keys for idempotent requests can only be used ${rule}. ${advice}`;
  throw new StripeApiError(400, "idempotency_error", message);
}

function keyInUse(key: string): StripeApiError {
  const cause = "that probably means you submitted twice, and the other request is still going through";
  const state = `There is currently another in-progress request using this Idempotent Key (${cause}): ${key}.`;
  const message = `${state} Please try again later.`;
  return new StripeApiError(409, "idempotency_error", message, { code: "idempotency_key_in_use" });
}
