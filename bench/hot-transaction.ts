import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { connect, type Database, endPool } from "../app/db/client.server.ts";
import { redeemPromoCode } from "../app/promo/redeem.server.ts";
import { AUTH_SECRET } from "../test/server.ts";
import { createSignedInUsers } from "../test/users.ts";
import { closedWork } from "./load.ts";

const ROUNDS = 5;
const SECONDS = 1.5;
const TOGETHER = 64;
const MOST = 160_000;
const CONNECTIONS = 20;

/** A transaction that redeems one code for some people at once, in milliseconds. */
export interface HotTransaction {
  /** However many they are. */
  fixed: number;
  /** What each of them adds. */
  each: number;
}

/**
 * How long a transaction takes in which one person redeems a code, and in which 64 do: each asks again when they were answered, so
 * that those who are answered together ask together. What 63 more take, divided among them, is what each adds.
 */
export async function measureHotTransaction(pool: Pool, siteUrl: string): Promise<HotTransaction> {
  const code = `H${randomUUID().slice(0, 8).toUpperCase()}`;
  await pool.query("INSERT INTO promo_codes (code, duration_type) VALUES ($1, 'months')", [code]);
  const users = (await createSignedInUsers(pool, MOST)).values();
  await pool.query("VACUUM (ANALYZE)");
  const { db, pool: own } = connect(siteUrl, CONNECTIONS, () => {});
  const rounds: { alone: number; together: number }[] = [];
  try {
    for (let round = 0; round <= ROUNDS; round++) {
      const [alone, together] = [await cycle(db, code, users, 1), await cycle(db, code, users, TOGETHER)];
      if (round > 0) rounds.push({ alone, together });
    }
  } finally {
    await endPool(own);
  }
  // The quickest of each: other work on the machine only adds to them.
  const [alone, together] = [
    Math.min(...rounds.map((round) => round.alone)),
    Math.min(...rounds.map((round) => round.together)),
  ];
  const each = (together - alone) / (TOGETHER - 1);
  return { each, fixed: alone - each };
}

/** How long all callers together wait for one answer each, in milliseconds. */
async function cycle(
  db: Database,
  code: string,
  users: Iterator<{ id: string }>,
  callers: number,
): Promise<number> {
  const { answered, seconds } = await closedWork(callers, SECONDS, async () => {
    const { value, done } = users.next();
    if (done) throw new Error(`there are more redemptions than ${MOST}`);
    const redeemed = await redeemPromoCode({ db, config: { authSecret: AUTH_SECRET } }, value.id, { code });
    if (!redeemed.ok) throw new Error(JSON.stringify(redeemed));
  });
  return (seconds * 1000 * callers) / answered;
}
