import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { createSecretToken } from "../http/secret-token.server.ts";
import { createReferralCode } from "./codes.server.ts";

/** Addresses on the list, written straight into it. All are of the same length, so that what names them can be compared. */
export async function createMembers(
  pool: Pool,
  count: number,
  isConfirmed: boolean,
): Promise<{ id: string; email: string; token: string }[]> {
  const members = Array.from({ length: count }, () => {
    const id = randomUUID();
    return { id, email: `${id}@example.com`, token: createSecretToken() };
  });
  for (const { id, email, token } of members) {
    await pool.query(
      `INSERT INTO waitlist (id, email, token, referral_code, confirm_by, confirmed_at, ticket)
       VALUES ($1, $2, $3, $4, now() + interval '7 days',
         CASE WHEN $5 THEN now() END, CASE WHEN $5 THEN nextval('waitlist_ticket') END)`,
      [id, email, token, createReferralCode(), isConfirmed],
    );
  }
  return members;
}
