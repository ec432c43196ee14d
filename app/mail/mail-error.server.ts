import { z } from "zod";

/** What nodemailer says of a failure beside its message. */
const Failure = z.object({
  code: word(/^E[A-Z0-9_]+$/),
  originalCode: word(/^[A-Z0-9_]+$/),
  command: word(/^[A-Z0-9 -]+$/),
  response: z.string().catch(""),
});

function word(pattern: RegExp) {
  return z.string().max(40).regex(pattern).optional().catch(undefined);
}

/**
 * Why a mail was not taken, in codes alone: "ESOCKET ECONNREFUSED CONN", "EENVELOPE RCPT TO 450 4.2.2". The text of a
 * server's answer quotes addresses, and what it says ends in the log.
 */
export class MailError extends Error {
  override name = "MailError";

  constructor(cause: unknown) {
    const { code, originalCode, command, status, detail } = read(cause);
    super(
      ["the mail server did not take it:", code, originalCode, command, status, detail]
        .filter(Boolean)
        .join(" "),
    );
  }
}

/**
 * Whether a server said that there is no such address, now or later (RFC 3463 §3.2, RFC 7505). Other refusals, such as
 * of us, may end with a setting that is mended.
 */
export function isAddressRefused(error: unknown): boolean {
  const { command, status, detail } = read(error);
  return command === "RCPT TO" && status?.startsWith("5") === true && /^5\.1\.(1|2|3|10)$/.test(detail ?? "");
}

/** @returns with the codes an answer begins with (RFC 5321 §4.2, RFC 3463): status "550", detail "5.1.1" */
function read(error: unknown) {
  const { response, ...codes } = Failure.catch({ response: "" }).parse(error);
  const [, status, detail] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})\b)?/.exec(response) ?? [];
  return { ...codes, status, detail };
}
