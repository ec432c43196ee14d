/** 256 bits in base64url, as the links of mails carry them. */
const TOKEN = /^[\w-]{43}$/;

/** The token a page was asked with; `null` when it has none or what it has cannot be one. */
export function readLinkToken(request: Request): string | null {
  const token = new URL(request.url).searchParams.get("token") ?? "";
  return TOKEN.test(token) ? token : null;
}
