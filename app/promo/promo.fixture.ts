import { randomUUID } from "node:crypto";
import { sharedDatabase } from "../../test/database.fixture.ts";
import { waitForLocks } from "../../test/locks.ts";
import { AUTH_SECRET } from "../../test/server.ts";
import { createSignedInUsers } from "../../test/users.ts";
import { readConfig } from "../config/config.server.ts";
import { connect, type Database, endPool } from "../db/client.server.ts";
import { createPromoCode } from "./manage-codes.server.ts";
import { newPromoCode } from "./promo-terms.server.ts";
import { redeemPromoCode } from "./redeem.server.ts";
import { addSampleCodes } from "./sample-codes.server.ts";

export const config = readConfig({ AUTH_SECRET });
export const REFUSED = { ok: false, status: 400, message: "Invalid or expired promo code" };

interface Redeeming {
  tier?: string;
  confirmed?: string;
  /** The database of another process. */
  db?: Database;
}

/** A database with the sandbox's codes, and what tests of codes do with it. */
export function setupPromo() {
  const database = sharedDatabase(({ pool }) => addSampleCodes(pool));

  const redeem = (userId: string, code: string, { db = database.db, ...input }: Redeeming = {}) =>
    redeemPromoCode({ config, db }, userId, { code, ...input });

  /** @param terms as the operator types them; without a code it gets a random one */
  async function newCode(terms: Record<string, string | boolean> = {}): Promise<string> {
    const created = await createPromoCode(
      database.db,
      newPromoCode.parse({ code: randomUUID().toUpperCase(), ...terms }),
    );
    if (!created) throw new Error(`there is a code ${terms.code}`);
    return created.code;
  }

  const newUsers = async (count: number): Promise<string[]> =>
    (await createSignedInUsers(database.pool, count)).map(({ id }) => id);
  const newUser = async (): Promise<string> => (await newUsers(1))[0] ?? "";

  /** How often a code was used, by its counter and by its grants. */
  async function usesOf(code: string): Promise<{ uses: number; grants: number }> {
    const { rows } = await database.pool.query(
      `SELECT used_count AS uses, (SELECT count(*)::int FROM grants WHERE promo_code = code) AS grants
       FROM promo_codes WHERE code = $1`,
      [code],
    );
    return rows[0];
  }

  /**
   * Holds a code's row while they begin, each once the one before it waits: the worst moment of a race, made sure of.
   *
   * @param change of the code, before it is let go
   */
  async function whileHeld(code: string, begin: (() => Promise<unknown>)[], change?: string) {
    const holder = await database.pool.connect();
    await holder.query("BEGIN");
    await holder.query("SELECT FROM promo_codes WHERE code = $1 FOR UPDATE", [code]);
    const begun: Promise<unknown>[] = [];
    for (const work of begin) {
      begun.push(work());
      await waitForLocks(database.pool, begun.length);
    }
    if (change) await holder.query(change, [code]);
    await holder.query("COMMIT");
    holder.release();
    return Promise.all(begun);
  }

  /** Each user redeems the code in a process of their own: all have looked, and wait for the code, when the first gets it. */
  async function redeemAtOnce(userIds: readonly string[], code: string) {
    const processes = userIds.map(() => connect(database.url, 1, () => {}));
    const redeeming = userIds.map((id, index) => () => redeem(id, code, { db: processes[index]?.db }));
    const redemptions = (await whileHeld(code, redeeming)) as Awaited<ReturnType<typeof redeem>>[];
    await Promise.all(processes.map(({ pool }) => endPool(pool)));
    return redemptions;
  }

  return { database, redeem, newCode, newUser, newUsers, usesOf, whileHeld, redeemAtOnce };
}
