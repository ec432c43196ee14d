import { z } from "zod";

const nodemailerError = z.object({
  code: word(/^E[A-Z0-9_]+$/),
  originalCode: word(/^[A-Z0-9_]+$/),
  command: word(/^[A-Z0-9 -]+$/),
  response: z.string().catch(""),
});

function word(pattern: RegExp) {
  return z.string().max(40).regex(pattern).optional().catch(undefined);
}

/** Codes only: "EENVELOPE RCPT TO 450 4.2.2". A server's reply quotes addresses, which do not belong in the log. */
export class MailError extends Error {
  override name = "MailError";

  constructor(cause: unknown) {
    const { code, originalCode, command, status, detail } = parseError(cause);
    super(
      ["the mail server did not take it:", code, originalCode, command, status, detail]
        .filter(Boolean)
        .join(" "),
    );
  }
}

/** RFC 3463 §3.2, RFC 7505; or 501 and 553 (RFC 5321 §4.2.3). Other rejections may end when a setting is corrected. */
export function isAddressRefused(error: unknown): boolean {
  const { command, status, detail } = parseError(error);
  if (command !== "RCPT TO" || !status?.startsWith("5")) return false;
  return detail ? /^5\.1\.(1|2|3|10)$/.test(detail) : /^(501|553)$/.test(status);
}

/** Also the codes a reply starts with (RFC 5321 §4.2, RFC 3463): status "550", detail "5.1.1". */
function parseError(error: unknown) {
  const { response, ...codes } = nodemailerError.catch({ response: "" }).parse(error);
  const [, status, detail] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3})\b)?/.exec(response) ?? [];
  return { ...codes, status, detail };
}
