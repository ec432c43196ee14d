import type Stripe from "stripe";
import { resourceMissing } from "../api/errors.ts";
import { findObject } from "../store.ts";
import { CUSTOMER_OF, type Transaction } from "../transaction.ts";

/**
 * Puts the transaction on the time of the customer that one of the ids names or belongs to: that of its test clock, if it has
 * one. With `lock`, changes about one customer happen one after the other, so that they can never wait for each other.
 */
export async function enterTimeOf(
  tx: Transaction,
  ids: string[],
  { lock }: { lock: boolean },
): Promise<void> {
  const customer = await customerOf(tx, ids);
  if (customer === undefined) return;
  if (lock) await lockCustomers(tx, [customer]);
  tx.now = (await clockTimeOf(tx, customer)) ?? tx.now;
}

async function customerOf(tx: Transaction, ids: string[]): Promise<string | undefined> {
  const { rows } = await tx.client.query<{ id: string }>(CUSTOMER_OF, [ids]);
  return rows[0]?.id;
}

/** The transaction at the time of a clock. @throws Stripe's 400 when there is none */
export async function onClock(tx: Transaction, id: string): Promise<Transaction> {
  const clock = await findObject(tx, "test_helpers.test_clock", id);
  if (!clock) throw resourceMissing("test_clock", id, "test_clock");
  return { ...tx, now: clock.frozen_time };
}

async function clockTimeOf(tx: Transaction, customer: string): Promise<number | undefined> {
  const { rows } = await tx.client.query<{ now: number }>(
    `SELECT (clock.object->>'frozen_time')::float8 AS now
     FROM sandbox_stripe.objects AS customer
     JOIN sandbox_stripe.objects AS clock ON clock.id = customer.object->>'test_clock'
     WHERE customer.id = $1`,
    [customer],
  );
  return rows[0]?.now;
}

/** Waits for the other transactions that change these customers. */
export async function lockCustomers(tx: Transaction, customers: string[]): Promise<void> {
  for (const customer of [...customers].sort()) {
    await tx.client.query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", [customer]);
  }
}

export async function customersOn(tx: Transaction, clock: string): Promise<string[]> {
  const { rows } = await tx.client.query<{ id: string }>(
    `SELECT id FROM sandbox_stripe.objects WHERE kind = 'customer' AND object @> $1 ORDER BY id`,
    [JSON.stringify({ test_clock: clock })],
  );
  return rows.map(({ id }) => id);
}

/** Puts a customer, who is locked, and all they have on the clock, for good. @returns the clock */
export async function attachToClock(
  tx: Transaction,
  id: string,
  clock: Stripe.TestHelpers.TestClock,
): Promise<Stripe.TestHelpers.TestClock> {
  await tx.client.query(
    `UPDATE sandbox_stripe.objects SET object = object || $2
     WHERE (id = $1 OR object->>'customer' = $1) AND object ? 'test_clock'`,
    [id, JSON.stringify({ test_clock: clock.id })],
  );
  return clock;
}
