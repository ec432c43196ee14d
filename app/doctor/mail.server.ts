import { Resolver } from "node:dns/promises";
import { createTransport } from "nodemailer";
import type { MailConfig } from "../config/config.server.ts";
import { MailError } from "../mail/mail-error.server.ts";
import type { Finding } from "./finding.ts";

type Found = Omit<Finding, "check">[];

const TIMEOUT_MILLISECONDS = 4_000;
/** Nobody has them (RFC 2606, RFC 6761), so that there is nothing to look up. */
const NOBODYS = /(^|\.)(example|test|invalid|localhost|local|example\.(com|net|org))$/;

/** Connects to the mail server and signs in there, without sending anything. */
export async function checkMail(mail: MailConfig): Promise<Found> {
  if (mail.mode === "off") return [];
  if (mail.mode === "sandbox")
    return [{ level: "ok", says: "the sandbox takes it, to be read at /sandbox/mail" }];
  const transport = createTransport({
    url: mail.url,
    dnsTimeout: TIMEOUT_MILLISECONDS,
    connectionTimeout: TIMEOUT_MILLISECONDS,
    greetingTimeout: TIMEOUT_MILLISECONDS,
    socketTimeout: TIMEOUT_MILLISECONDS,
  });
  const { host } = new URL(mail.url);
  try {
    await transport.verify();
    return [{ level: "ok", says: `${host} takes mail of ours, from ${mail.from.split("@")[1]}` }];
  } catch (error) {
    return [
      {
        level: "fail",
        says: `${host} does not take mail: ${new MailError(error).message.replace(/^.*?: /, "")}`,
        advice: isRefusedPassword(error)
          ? "correct the user and password in SMTP_URL; special characters are written like %40"
          : "is the address in SMTP_URL right, and is the port open from here? What is written waits meanwhile",
      },
    ];
  } finally {
    transport.close();
  }
}

function isRefusedPassword(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EAUTH";
}

/** Whether other mail servers are told that ours may send for the domain of MAIL_FROM. */
export async function checkMailNames(
  mail: MailConfig,
  resolver: Pick<Resolver, "resolveTxt"> = createResolver(),
): Promise<Found> {
  if (mail.mode !== "smtp") return [];
  const domain = mail.from.split("@")[1]?.toLowerCase() ?? "";
  if (NOBODYS.test(domain)) return [{ level: "ok", says: `nobody can own ${domain}: nothing was looked up` }];
  try {
    const [own, dmarc] = await Promise.all([texts(resolver, domain), findDmarc(resolver, domain)]);
    const found: Found = [];
    if (own === null)
      return [
        {
          level: "warn",
          says: `this machine’s name server knows no ${domain}, from which mail is sent`,
          advice:
            "is MAIL_FROM right? Nobody can answer to a domain that does not exist, and most refuse its mail",
        },
      ];
    if (!own.some((text) => /^v=spf1( |$)/i.test(text)))
      found.push({
        level: "warn",
        says: `${domain} has no SPF record, so that our mail may count as spam`,
        advice: "your mail provider says which TXT record to add",
      });
    if (!dmarc)
      found.push({
        level: "warn",
        says: `${domain} has no DMARC record; large mailboxes ask for one`,
        advice: `add the TXT record _dmarc.${domain}: v=DMARC1; p=none`,
      });
    return found.length > 0
      ? found
      : [{ level: "ok", says: `${domain} has SPF and DMARC records (DKIM is your provider’s)` }];
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    return [
      {
        level: "warn",
        says: `the DNS records of ${domain} could not be looked up (${code})`,
        advice: "does this machine reach a name server?",
      },
    ];
  }
}

function createResolver(): Resolver {
  return new Resolver({ timeout: TIMEOUT_MILLISECONDS / 2, tries: 2 });
}

/** Of the domain itself, or else of the one above it that is registered (RFC 7489 §6.6.3). */
async function findDmarc(resolver: Pick<Resolver, "resolveTxt">, domain: string): Promise<boolean> {
  const labels = domain.split(".");
  for (let first = 0; first <= labels.length - 2; first++) {
    const found = await texts(resolver, `_dmarc.${labels.slice(first).join(".")}`);
    if (found?.some((text) => /^v=DMARC1/i.test(text))) return true;
  }
  return false;
}

/** The TXT records of a name; `null` when there is no such name. */
async function texts(resolver: Pick<Resolver, "resolveTxt">, name: string): Promise<string[] | null> {
  try {
    const records = await resolver.resolveTxt(name);
    return records.map((parts) => parts.join(""));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : "";
    if (code === "ENODATA") return [];
    if (code === "ENOTFOUND") return null;
    throw error;
  }
}
