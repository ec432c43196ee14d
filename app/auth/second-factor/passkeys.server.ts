import { isIP } from "node:net";
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from "@simplewebauthn/server";
import { and, eq, gt, sql } from "drizzle-orm";
import { z } from "zod";
import type { Config } from "../../config/config.server.ts";
import type { Queryable } from "../../db/client.server.ts";
import type { App } from "../../http/context.server.ts";
import { passkeys, session } from "../schema.ts";
import type { SignedInUser } from "../users.server.ts";

const CHALLENGE_MINUTES = 5;
export const MAX_PASSKEYS = 10;

/** Passkeys belong to a name, never to an IP address. */
export function hasPasskeys({ publicOrigin }: Pick<Config, "publicOrigin">): boolean {
  return isIP(rpId({ publicOrigin }).replace(/^\[|\]$/g, "")) === 0;
}

/** Loaded on first use: half a megabyte of code to read certificates. */
const loadWebAuthn = () => import("@simplewebauthn/server");

const rpId = ({ publicOrigin }: Pick<Config, "publicOrigin">) => new URL(publicOrigin).hostname;

export async function registrationOptions(
  { config, db }: Pick<App, "config" | "db">,
  { id: sessionId, user }: { id: string; user: SignedInUser },
) {
  const known = await listKeys(db, user.id);
  const { generateRegistrationOptions } = await loadWebAuthn();
  const options = await generateRegistrationOptions({
    rpName: config.site.product,
    rpID: rpId(config),
    userName: user.email,
    userDisplayName: user.name,
    userID: new TextEncoder().encode(user.id),
    attestationType: "none",
    excludeCredentials: known,
    authenticatorSelection: { residentKey: "discouraged", userVerification: "preferred" },
  });
  await storeChallenge(db, sessionId, options.challenge);
  return options;
}

export async function authenticationOptions(
  { config, db }: Pick<App, "config" | "db">,
  { id: sessionId, user }: { id: string; user: Pick<SignedInUser, "id"> },
) {
  const { generateAuthenticationOptions } = await loadWebAuthn();
  const options = await generateAuthenticationOptions({
    rpID: rpId(config),
    allowCredentials: await listKeys(db, user.id),
    userVerification: "preferred",
  });
  await storeChallenge(db, sessionId, options.challenge);
  return options;
}

/** @returns `null` when the answer does not match our challenge */
export async function verifyNewPasskey(
  tx: Queryable,
  config: Pick<Config, "publicOrigin">,
  sessionId: string,
  answer: string,
): Promise<Omit<typeof passkeys.$inferInsert, "userId" | "name"> | null> {
  const read = readAnswer(answer);
  if (!read || !(await consumeChallenge(tx, sessionId, read.challenge))) return null;
  const { verifyRegistrationResponse } = await loadWebAuthn();
  const verified = await verifyRegistrationResponse({
    ...expected(config, read),
    response: read.json as RegistrationResponseJSON,
  }).catch(() => null);
  if (!verified?.verified) return null;
  const { credential } = verified.registrationInfo;
  return {
    id: credential.id,
    publicKey: Buffer.from(credential.publicKey).toString("base64url"),
    counter: credential.counter,
    transports: read.transports,
  };
}

/** A challenge works once, and a counter that does not increase is a copy's. @returns whether it is theirs */
export async function consumePasskey(
  tx: Queryable,
  config: Pick<Config, "publicOrigin">,
  { sessionId, userId }: { sessionId: string; userId: string },
  answer: string,
): Promise<boolean> {
  const read = readAnswer(answer);
  if (!read || !(await consumeChallenge(tx, sessionId, read.challenge))) return false;
  const [known] = await tx
    .select()
    .from(passkeys)
    .where(and(eq(passkeys.id, read.id), eq(passkeys.userId, userId)));
  if (!known) return false;
  const { verifyAuthenticationResponse } = await loadWebAuthn();
  const verified = await verifyAuthenticationResponse({
    ...expected(config, read),
    response: read.json as AuthenticationResponseJSON,
    credential: {
      id: known.id,
      publicKey: Uint8Array.from(Buffer.from(known.publicKey, "base64url")),
      counter: known.counter,
    },
  }).catch(() => null);
  if (!verified?.verified) return false;
  const { newCounter } = verified.authenticationInfo;
  const { rowCount } = await tx
    .update(passkeys)
    .set({ counter: newCounter, lastUsedAt: sql`now()` })
    .where(
      and(
        eq(passkeys.id, known.id),
        eq(passkeys.userId, userId),
        sql`(${passkeys.counter} < ${newCounter} OR ${passkeys.counter} = 0 AND ${newCounter}::bigint = 0)`,
      ),
    );
  return rowCount === 1;
}

function expected(config: Pick<Config, "publicOrigin">, { challenge }: PasskeyAnswer) {
  return {
    expectedChallenge: challenge,
    expectedOrigin: config.publicOrigin,
    expectedRPID: rpId(config),
    requireUserVerification: false,
  };
}

function listKeys(db: Queryable, userId: string) {
  return db
    .select({ id: passkeys.id, transports: passkeys.transports })
    .from(passkeys)
    .where(eq(passkeys.userId, userId));
}

/** One at a time in a session. */
async function storeChallenge(db: Queryable, sessionId: string, challenge: string): Promise<void> {
  await db.update(session).set({ challenge, challengeAt: sql`now()` }).where(eq(session.id, sessionId));
}

async function consumeChallenge(tx: Queryable, sessionId: string, challenge: string): Promise<boolean> {
  const { rowCount } = await tx
    .update(session)
    .set({ challenge: null, challengeAt: null })
    .where(
      and(
        eq(session.id, sessionId),
        eq(session.challenge, challenge),
        gt(session.challengeAt, sql`now() - make_interval(mins => ${CHALLENGE_MINUTES}::int)`),
      ),
    );
  return rowCount === 1;
}

const base64url = z.string().regex(/^[\w-]{1,8000}$/);

const answerOf = z.looseObject({
  id: base64url,
  rawId: base64url,
  type: z.literal("public-key"),
  clientExtensionResults: z.looseObject({}),
  response: z.looseObject({
    clientDataJSON: base64url,
    transports: z.array(z.string().max(20)).max(10).optional(),
  }),
});
const clientData = z.looseObject({ challenge: base64url });

interface PasskeyAnswer {
  id: string;
  challenge: string;
  transports: string[];
  json: unknown;
}

/** Untrusted. @returns `null` when malformed */
function readAnswer(text: string): PasskeyAnswer | null {
  const read = answerOf.safeParse(parse(text));
  if (!read.success) return null;
  const { id, response } = read.data;
  const client = clientData.safeParse(parse(Buffer.from(response.clientDataJSON, "base64url").toString()));
  if (!client.success) return null;
  return { id, challenge: client.data.challenge, transports: response.transports ?? [], json: read.data };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
