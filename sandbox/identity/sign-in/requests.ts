import { randomBytes } from "node:crypto";
import type { Pool } from "pg";
import type { Face } from "../clients.ts";
import type { AuthorizationRequest } from "./authorization-request.ts";

/** Keeps what a browser came with for an hour, in which it can be answered. @returns its id */
export async function keepRequest(pool: Pool, face: Face, request: AuthorizationRequest): Promise<string> {
  const id = randomBytes(16).toString("base64url");
  await pool.query("DELETE FROM sandbox_identity.requests WHERE created_at < now() - interval '1 hour'");
  await pool.query("INSERT INTO sandbox_identity.requests (id, face, request) VALUES ($1, $2, $3)", [
    id,
    face,
    JSON.stringify(request),
  ]);
  return id;
}

/** It stays: whoever comes back to the page may choose again, as at Google. */
export async function findRequest(
  pool: Pool,
  face: Face,
  id: string,
): Promise<AuthorizationRequest | undefined> {
  const { rows } = await pool.query<{ request: AuthorizationRequest }>(
    `SELECT request FROM sandbox_identity.requests
     WHERE id = $1 AND face = $2 AND created_at >= now() - interval '1 hour'`,
    [id, face],
  );
  return rows[0]?.request;
}
