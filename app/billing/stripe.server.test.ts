import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestSandbox } from "../../test/stripe.ts";
import { isSavedFailure, withIdempotencyKey } from "./stripe.server.ts";

let sandbox: Awaited<ReturnType<typeof startTestSandbox>>;
beforeAll(async () => {
  sandbox = await startTestSandbox();
});
afterAll(() => sandbox.close());

const knobs = (settings: object) =>
  fetch(`${sandbox.origin}/sandbox/stripe/control`, { method: "POST", body: JSON.stringify(settings) });

const create = (idempotencyKey: string) =>
  sandbox.stripe.customers.create({ name: "Ada" }, { idempotencyKey });

test("a failure that Stripe saved under the key does not last; two callers end with one customer", async () => {
  const key = randomUUID();
  await knobs({ errors: 1 });
  const first = await create(key).catch((error: unknown) => error);
  // It has not been repeated yet, so it may be over.
  expect(isSavedFailure(first)).toBe(false);
  await knobs({ reset: true });
  const again = await create(key).catch((error: unknown) => error);
  expect(isSavedFailure(again)).toBe(true);

  const [one, other] = await Promise.all([withIdempotencyKey(key, create), withIdempotencyKey(key, create)]);
  expect(one.id).toBe(other.id);
});

test("while Stripe is away it ends with Stripe's error", async () => {
  await knobs({ api: "down" });
  await expect(withIdempotencyKey(randomUUID(), create)).rejects.toMatchObject({ statusCode: 503 });
  await knobs({ reset: true });
});
