import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import { createPerson, type Person } from "./users.ts";

/** The address on the list when a server is started with no other. */
export const OPERATOR_EMAIL = "admin@ownwords.example";

/**
 * The operator, signed in a moment ago with a second factor: written straight into the tables, for tests of what lies
 * behind the gate. One each database, so tests of a shared server share them.
 */
export async function createOperator(pool: Pool): Promise<Person> {
  const person = await createPerson(pool);
  await pool.query(`UPDATE "user" SET email = id || '@example.com' WHERE email = $1`, [OPERATOR_EMAIL]);
  await pool.query(`UPDATE "user" SET email = $2, email_verified = true WHERE id = $1`, [
    person.id,
    OPERATOR_EMAIL,
  ]);
  await pool.query("UPDATE session SET second_factor_at = now() WHERE user_id = $1", [person.id]);
  await pool.query(
    "INSERT INTO passkeys (id, user_id, name, public_key) VALUES ($1, $2, 'A key of the tests', '')",
    [randomBytes(16).toString("base64url"), person.id],
  );
  return { ...person, email: OPERATOR_EMAIL };
}
