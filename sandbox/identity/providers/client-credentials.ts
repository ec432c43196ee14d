interface Credentials {
  id: string;
  secret: string;
}

/**
 * Who says to be asking: client_secret_basic or client_secret_post (RFC 6749 §2.3.1).
 *
 * @returns `null` when both ways are used at once, or the header cannot be read
 */
export function readClient(request: Request, form: URLSearchParams): Credentials | null {
  const header = request.headers.get("authorization");
  if (header === null) return { id: form.get("client_id") ?? "", secret: form.get("client_secret") ?? "" };
  if (form.has("client_secret")) return null;
  const encoded = /^Basic +([\w+/=-]+) *$/i.exec(header)?.[1];
  const [id, secret, ...more] = encoded ? Buffer.from(encoded, "base64").toString().split(":") : [];
  return id === undefined || secret === undefined || more.length > 0
    ? null
    : { id: formDecoded(id), secret: formDecoded(secret) };
}

function formDecoded(text: string): string {
  return new URLSearchParams(`value=${text.replaceAll("&", "%26")}`).get("value") ?? "";
}
