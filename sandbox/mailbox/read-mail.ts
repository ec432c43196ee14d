import PostalMime, { type Address } from "postal-mime";

/** A mail in the fields of /sandbox/mail.json. */
export interface Mail {
  /** The recipients of the envelope, not of the header: one address, or several separated by commas. */
  to: string;
  /** `Name <address>`, or the address alone. */
  from: string;
  /** The address alone. */
  replyTo: string | null;
  subject: string;
  text: string;
  html: string;
  messageId: string | null;
  /** Every header by its name in lower case; a repeated one has a line for each value. */
  headers: Record<string, string>;
}

/** Parses a mail (RFC 5322, MIME). */
export async function readMail(raw: Buffer, recipients: string[]): Promise<Mail> {
  const email = await PostalMime.parse(raw);
  const headers = new Map<string, string>();
  for (const { key, value } of email.headers) {
    const before = headers.get(key);
    headers.set(key, storable(before === undefined ? value : `${before}\n${value}`));
  }
  return {
    to: storable(recipients.join(", ")),
    from: storable(email.from ? nameAndAddress(email.from) : ""),
    replyTo: email.replyTo ? storable(email.replyTo.flatMap(addresses).join(", ")) : null,
    subject: storable(email.subject ?? ""),
    text: storable(email.text ?? ""),
    html: storable(email.html ?? ""),
    messageId: email.messageId ? storable(email.messageId) : null,
    headers: Object.fromEntries(headers),
  };
}

function nameAndAddress(sender: Address): string {
  const address = addresses(sender).join(", ");
  return sender.name ? `${sender.name} <${address}>` : address;
}

function addresses({ address, group = [] }: Address): string[] {
  return address === undefined ? group.map((member) => member.address) : [address];
}

/** PostgreSQL stores every character but this one. */
function storable(text: string): string {
  return text.replaceAll("\0", "\u{FFFD}");
}
