import { z } from "zod";

const base64url = z.string().regex(/^[\w-]{1,8000}$/);

/** What of a browser's answer is looked at before the library verifies it. */
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

/** A browser's answer about a passkey: whole, and which passkey and which question it is about. */
export interface PasskeyAnswer {
  id: string;
  challenge: string;
  transports: string[];
  json: unknown;
}

/** Reads what a script put into a form. @returns `null` when it is nothing of the kind */
export function readAnswer(text: string): PasskeyAnswer | null {
  const read = answerOf.safeParse(parse(text));
  if (!read.success) return null;
  const { id, response } = read.data;
  const said = clientData.safeParse(parse(Buffer.from(response.clientDataJSON, "base64url").toString()));
  if (!said.success) return null;
  return { id, challenge: said.data.challenge, transports: response.transports ?? [], json: read.data };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
