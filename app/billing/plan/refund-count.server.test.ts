import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { sharedDatabase } from "../../../test/database.fixture.ts";
import { SITE } from "../../../test/site.ts";
import { countRefund, isRefundDecidedByHand } from "./refund-count.server.ts";

const database = sharedDatabase();
const [BEFORE, NOW] = ["the secret before", "the secret that came after"];

const configOf = (...[authSecret = "", ...others]: string[]) => ({
  authSecret,
  authSecrets: [authSecret, ...others],
  site: SITE,
});

const refund = (email: string, secret: string, subscription: string = randomUUID()) =>
  countRefund(database.db, configOf(secret), email, subscription);

const isDecidedByHand = (email: string, ...secrets: string[]) =>
  isRefundDecidedByHand({ db: database.db, config: configOf(...secrets) }, email);

test("the third of a mailbox within a year is decided by hand, whatever its spelling; a refund counts once", async () => {
  const subscription = randomUUID();
  await refund("ada@example.com", NOW, subscription);
  await refund("ada@example.com", NOW, subscription);
  expect(await isDecidedByHand("ada@example.com", NOW)).toBe(false);
  await refund("Ada+again@Example.com", NOW);
  expect(await isDecidedByHand("ada+third@example.com", NOW)).toBe(true);
  expect(await isDecidedByHand("ben@example.com", NOW)).toBe(false);
  await database.pool.query(
    "UPDATE counted_refunds SET refunded_at = now() - interval '366 days' WHERE subscription_id = $1",
    [subscription],
  );
  expect(await isDecidedByHand("ada@example.com", NOW)).toBe(false);
});

test("those counted under the secret before count while that is set", async () => {
  await refund("cleo@example.com", BEFORE);
  await refund("cleo@example.com", NOW);
  expect(await isDecidedByHand("cleo@example.com", NOW, BEFORE)).toBe(true);
  expect(await isDecidedByHand("cleo@example.com", NOW)).toBe(false);
});
