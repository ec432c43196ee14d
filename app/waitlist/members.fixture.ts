import { randomUUID } from "node:crypto";
import type { Pool } from "pg";
import { AUTH_SECRET } from "../../test/server.ts";
import { SITE } from "../../test/site.ts";
import { createReferralCode } from "./join.server.ts";
import { placeToken } from "./place-token.server.ts";

/** The part of the config that the list needs. */
export const CONFIG = { authSecret: AUTH_SECRET, authSecrets: [AUTH_SECRET], site: SITE };

/** Addresses on the list, written straight into it. All are of the same length, so that what names them can be compared. */
export async function createMembers(
  pool: Pool,
  count: number,
  isConfirmed: boolean,
): Promise<{ id: string; email: string; token: string }[]> {
  const members = Array.from({ length: count }, () => {
    const id = randomUUID();
    return { id, email: `${id}@example.com`, token: placeToken(id, CONFIG) };
  });
  for (const { id, email } of members) {
    await pool.query(
      `INSERT INTO waitlist (id, email, referral_code, confirm_by, confirmed_at, ticket)
       VALUES ($1, $2, $3, now() + interval '7 days',
         CASE WHEN $4 THEN now() END, CASE WHEN $4 THEN nextval('waitlist_ticket') END)`,
      [id, email, createReferralCode(), isConfirmed],
    );
  }
  return members;
}
