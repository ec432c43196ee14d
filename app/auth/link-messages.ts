import type { Message } from "../mail/message.ts";
import type { Site } from "../ui/site.ts";

// No message repeats typed text: we would relay a stranger's words.

interface Recipient {
  email: string;
  token: string;
}

/** Asks for an address to be confirmed. */
export function verificationMessage({ email, token }: Recipient, site: Site): Message {
  return {
    to: email,
    subject: `Confirm your email address for ${site.product}`,
    paragraphs: [
      `Welcome to ${site.product}. Confirm your email address to finish setting up your account.`,
      `Open the link on a device where you’re signed in, or have your password ready. ${linkLife("verify_email")}`,
    ],
    action: { label: "Confirm your email address", url: `${site.origin}/verify-email?token=${token}` },
    footnotes: [
      {
        text: "Not you? Ignore this email, or reset the password to take over or close the account.",
        link: { label: "Reset the password", url: `${site.origin}/forgot-password` },
      },
    ],
  };
}

/** Leads to the page where a forgotten password is replaced. */
export function resetMessage({ email, token }: Recipient, site: Site): Message {
  return {
    to: email,
    subject: `Choose a new password for ${site.product}`,
    paragraphs: [
      `Someone, probably you, asked to reset the password of your ${site.product} account.`,
      linkLife("reset_password"),
    ],
    action: { label: "Choose a new password", url: `${site.origin}/reset-password?token=${token}` },
    footnotes: [{ text: "Not you? Ignore this email. Your password stays as it is." }],
  };
}

/** Tells the owner that wrong passwords were entered, and how to end the pause where that was. */
export function pausedMessage({ email, token }: Recipient, site: Site): Message {
  return {
    to: email,
    subject: `Too many wrong passwords for your ${site.product} account`,
    paragraphs: [
      "Someone entered ten wrong passwords for your account within 15 minutes. Nobody got in. Where they come from, no password is taken for up to 15 minutes. Everywhere else you log in as always.",
      "Was it you? Wait a little, or choose a new password now, which ends the pause right away.",
      linkLife("reset_password"),
    ],
    action: { label: "Choose a new password", url: `${site.origin}/reset-password?token=${token}` },
    footnotes: [
      {
        text: "Not you? If your password is hard to guess and you use it nowhere else, you don’t need to do anything.",
      },
    ],
  };
}

/** Asks a new address to be confirmed, which makes it the account's. */
export function confirmAddressMessage(to: string, token: string, site: Site): Message {
  return {
    to,
    subject: `Confirm your new email address for ${site.product}`,
    paragraphs: [
      `Someone, probably you, asked to use this email address for their ${site.product} account. Once you confirm it, the account uses it.`,
      `Open the link on a device where you’re signed in, or have your password ready. It works for ${LINK_HOURS.change_email} hours, and nothing changes until you confirm.`,
    ],
    action: {
      label: "Confirm the new email address",
      url: `${site.origin}/account/email/confirm?${new URLSearchParams({ token })}`,
    },
    footnotes: [
      {
        text: "Not you? Ignore this email. Without the password of that account, nobody can use your email address for it.",
      },
    ],
  };
}

function linkLife(purpose: MailLinkPurpose): string {
  const hours = LINK_HOURS[purpose];
  const life = hours === 1 ? "an hour" : hours % 24 === 0 ? `${hours / 24} days` : `${hours} hours`;
  return `The link works once, for ${life}.`;
}

/** What a link in a mail does. */
export type MailLinkPurpose = "verify_email" | "reset_password" | "change_email";

/** How long a link works, in hours. A reset needs nothing but the mail, so it is the shortest. */
export const LINK_HOURS: Record<MailLinkPurpose, number> = {
  verify_email: 72,
  change_email: 24,
  reset_password: 1,
};
