import type { Message } from "../mail/message.ts";
import type { Site } from "../ui/site.ts";
import { LINK_HOURS, type MailLinkPurpose } from "./mail-link-purposes.ts";

// None of these repeats anything a stranger could have typed into a form: it would be an open relay for their words.

/** Whom a mail is to, and the token of its link. */
interface Recipient {
  email: string;
  token: string;
}

/** Asks for an address to be confirmed, which takes the account it was given to as well. */
export function verificationMessage({ email, token }: Recipient, site: Site): Message {
  return {
    to: email,
    subject: `Confirm your email address for ${site.product}`,
    paragraphs: [
      `Welcome to ${site.product}. Confirm your email address to finish setting up your account.`,
      `Open the link where you are logged in, or have your password ready. ${linkLife("verify_email")}`,
    ],
    action: { label: "Confirm your address", url: `${site.origin}/verify-email?token=${token}` },
    footnotes: [
      {
        text: "Not you? Ignore this email, or reset the password to take over or close the account.",
        link: { label: "Reset the password", url: `${site.origin}/forgot-password` },
      },
    ],
  };
}

/** Leads whoever forgot their password to a page where they choose another. */
export function resetMessage({ email, token }: Recipient, site: Site): Message {
  return {
    to: email,
    subject: `Choose a new password for ${site.product}`,
    paragraphs: [
      `Someone, probably you, asked for a new password for your account at ${site.product}.`,
      linkLife("reset_password"),
    ],
    action: { label: "Choose a new password", url: `${site.origin}/reset-password?token=${token}` },
    footnotes: [{ text: "If it was not you, you do not need to do anything: your password stays as it is." }],
  };
}

/** Tells the owner that their password is another now. */
export function passwordChangedMessage({ email }: Pick<Recipient, "email">, site: Site): Message {
  return {
    to: email,
    subject: `Your ${site.product} password was changed`,
    paragraphs: [
      "Your account has a new password, and is signed out wherever it was signed in with the old one.",
    ],
    footnotes: [notYou(site)],
  };
}

/** Tells the owner that somebody tries passwords, and what they can do meanwhile. */
export function pausedMessage({ email, token }: Recipient, site: Site): Message {
  return {
    to: email,
    subject: `Too many wrong passwords for your ${site.product} account`,
    paragraphs: [
      "Somebody entered wrong passwords for your account ten times within 15 minutes. Nobody got in. For up to 15 minutes nobody can sign in with the password, not even with the right one.",
      "If it was you, wait a little, or choose a new password now; that ends the pause at once.",
      linkLife("reset_password"),
    ],
    action: { label: "Choose a new password", url: `${site.origin}/reset-password?token=${token}` },
    footnotes: [
      {
        text: "If it was not you, and your password is used nowhere else and hard to guess, you do not need to do anything.",
      },
    ],
  };
}

/** What every mail says that tells the owner of a change. */
export function notYou(site: Site): Message["footnotes"][number] {
  return {
    text: `If it was not you, choose a new password at once and write to ${site.supportEmail}:`,
    link: { label: "Reset the password", url: `${site.origin}/forgot-password` },
  };
}

function linkLife(purpose: MailLinkPurpose): string {
  const hours = LINK_HOURS[purpose];
  const life = hours === 1 ? "an hour" : hours % 24 === 0 ? `${hours / 24} days` : `${hours} hours`;
  return `The link works once, for ${life}.`;
}
