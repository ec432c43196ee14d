import { eq, or, type SQL, sql } from "drizzle-orm";
import type { Config } from "../config/config.server.ts";
import type { Queryable } from "../db/client.server.ts";
import { hashSecret, isSecretToken, readSignedId, signId } from "../http/secret-token.server.ts";
import { waitlist } from "./schema.ts";

const PURPOSE = "waitlist links of";

/**
 * Authorizes confirming, viewing and leaving. Derived from the id and AUTH_SECRET, so that the database has nothing that opens a place.
 */
export function placeToken(id: string, { authSecret }: Pick<Config, "authSecret">): string {
  return signId(id, PURPOSE, authSecret);
}

/** `null` when its token is not ours; its `id` is `null` for an older token without a place. */
export async function readPlaceLink(
  request: Request,
  { db, config }: { db: Queryable; config: Pick<Config, "authSecrets"> },
) {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  const id = readSignedId(token, PURPOSE, config.authSecrets);
  if (id) return { token, id };
  if (!isSecretToken(token)) return null;
  const [place] = await db
    .select({ id: waitlist.id })
    .from(waitlist)
    .where(or(eq(waitlist.tokenHash, hashSecret(token)), eq(waitlist.token, token)));
  return { token, id: place?.id ?? null };
}

const BATCH_ROWS = 1_000;

/** Older processes make links with plain tokens, which stay until every process has been of this version for an hour. */
const hasPlainToken = (version: string): SQL => sql`${waitlist.token} IS NOT NULL AND NOT EXISTS (
  SELECT FROM processes WHERE version <> ${version}::text OR started_at > now() - interval '1 hour'
)`;

/** As `hashSecret` makes them. */
export async function hashPlainTokens(db: Queryable, version: string, isStopping: () => boolean) {
  const hash = sql`rtrim(translate(encode(sha256(convert_to(token, 'UTF8')), 'base64'), '+/', '-_'), '=')`;
  while (!isStopping()) {
    const { rowCount } = await db.execute(sql`
      UPDATE ${waitlist} SET token_hash = ${hash}, token = NULL WHERE id = ANY (ARRAY(
        SELECT id FROM ${waitlist} WHERE ${hasPlainToken(version)} LIMIT ${BATCH_ROWS} FOR NO KEY UPDATE SKIP LOCKED
      ))`);
    if ((rowCount ?? 0) < BATCH_ROWS) return;
  }
}
