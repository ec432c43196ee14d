import PostalMime, { type Address } from "postal-mime";

/** What a mail says, in the words /sandbox/mail.json uses. */
export interface Mail {
  /** Whom the server was told to deliver it to, which is what counts: one address, or several between commas. */
  to: string;
  /** `Name <address>`, or the address alone. */
  from: string;
  /** The address alone. */
  replyTo: string | null;
  subject: string;
  text: string;
  html: string;
  messageId: string | null;
  /** Every header by its name in lower case; one that comes several times has a line for each. */
  headers: Record<string, string>;
}

/** Reads a mail as it came over the wire (RFC 5322, MIME). */
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

/** PostgreSQL keeps every character but this one. */
function storable(text: string): string {
  return text.replaceAll("\0", "\u{FFFD}");
}
