import { eq, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import type { Database, Queryable } from "../db/client.server.ts";
import { firstRow, type Given, momentPart, nested, type Part, prepare } from "../db/parts.server.ts";
import { hashSecret } from "../http/secret-token.server.ts";
import { session, user } from "./schema.ts";
import { expiresAt, LONGEST_SESSION_DAYS, oldestBeginning, type Session } from "./sessions.server.ts";

/** How often it is renewed while it is used. The list of sessions knows no better when each was last seen. */
const RENEWAL_MINUTES = 10;

/** Aliased, because what a page asks besides may name the tables, too. */
const ownSession = alias(session, "own_session");
const ownUser = alias(user, "own_user");

/** A session by its token, and what a page asks of its user. */
function sessionPart<Answer>(tokenHash: Given, page: Part<Answer>) {
  const { id, name, email, emailVerified, image, timeZone } = ownUser;
  return firstRow(
    {
      id: ownSession.id,
      user: nested({ id, name, email, emailVerified, image, timeZone }),
      isDue: sql<boolean>`${ownSession.updatedAt} < now() - make_interval(mins => ${RENEWAL_MINUTES}::int)`,
      page,
    },
    sql`FROM ${session} AS own_session JOIN ${user} AS own_user ON ${ownUser.id} = ${ownSession.userId}
      WHERE ${ownSession.tokenHash} = ${tokenHash}
        AND ${ownSession.expiresAt} > now() AND ${ownSession.createdAt} > ${oldestBeginning} AND NOT ${ownSession.needsSecondFactor}`,
  );
}

const askForSession = prepareWithSession("session", () => momentPart());

/** What a page asks of the user who sees it: in the statement that looks up their session, or alone. */
export interface UserQuestion<Answer> {
  withSession: ReturnType<typeof prepareWithSession<Answer>>;
  alone(db: Database, given: { userId: string }): Promise<Answer>;
}

/** @param name of its prepared statements: no others have it */
export function prepareForUser<Answer>(
  name: string,
  makePart: (userId: Given) => Part<Answer>,
): UserQuestion<Answer> {
  return {
    withSession: prepareWithSession(`session_${name}`, makePart),
    alone: prepare<Answer, "userId">(name, () => makePart(sql.placeholder("userId"))),
  };
}

function prepareWithSession<Answer>(name: string, makePart: (userId: Given) => Part<Answer>) {
  return prepare<ReturnType<ReturnType<typeof sessionPart<Answer>>["read"]>, "tokenHash">(name, () =>
    sessionPart(sql.placeholder("tokenHash"), makePart(ownSession.userId)),
  );
}

type FoundSession = Session & { isRenewed: boolean };

/** The live session with this token, renewed when that is due. */
export async function findAndRenewSession(db: Database, token: string): Promise<FoundSession | null> {
  return (await findAndRenewWith(db, token, askForSession))?.session ?? null;
}

/** The same, with what a page asks of its user. */
export async function findAndRenewWith<Answer>(
  db: Database,
  token: string,
  askAll: UserQuestion<Answer>["withSession"],
): Promise<{ session: FoundSession; page: Answer } | null> {
  const found = await askAll(db, { tokenHash: hashSecret(token) });
  if (!found) return null;
  const { isDue, page, ...own } = found;
  // It may end while it is renewed.
  if (isDue && !(await renewSession(db, own.id))) return null;
  return { session: { ...own, isRenewed: isDue }, page };
}

async function renewSession(db: Queryable, id: string): Promise<boolean> {
  const renewed = await db
    .update(session)
    .set({
      expiresAt: sql`least(${expiresAt}, ${session.createdAt} + make_interval(days => ${LONGEST_SESSION_DAYS}::int))`,
      updatedAt: sql`now()`,
    })
    .where(eq(session.id, id))
    .returning({ id: session.id });
  return renewed.length > 0;
}
