import type { Message } from "../mail/message.ts";
import type { Site } from "../ui/site.ts";

// Notes to the owner of an account about a change. None repeats what a stranger typed: we would send their words to others.

/** To the owner of an address that is wanted for another account. */
export function addressInUseMessage(to: string, site: Site): Message {
  return {
    to,
    subject: "Somebody tried to use your email address",
    paragraphs: [
      `Somebody asked to use this address for another ${site.product} account. It belongs to yours, so nothing has changed, and they were not told that there is one.`,
      "If it was you: log in with this address, or delete this account first to use the address for the other.",
    ],
    footnotes: [supportNote("If this keeps happening, write to us:", site)],
  };
}

/** To the address an account still has. */
export function addressChangeAskedMessage(to: string, site: Site): Message {
  return {
    to,
    subject: "A new email address was asked for",
    paragraphs: [
      `Somebody who is signed in to your ${site.product} account asked to give it another email address. Nothing has changed yet: we wrote to the new address, and the change waits until it is confirmed there.`,
      "If it was you, you do not need to do anything here.",
    ],
    footnotes: [notYou(site)],
  };
}

/** To the address an account had. */
export function addressChangedMessage(to: string, site: Site): Message {
  return {
    to,
    subject: "Your email address was changed",
    paragraphs: [
      `Your ${site.product} account has another email address now, and this one no longer signs you in. Emails about the account go to the new one.`,
      "If it was you, you do not need to do anything.",
    ],
    footnotes: [supportNote("If it was not you, write to us at once:", site)],
  };
}

/** To the owner of an account that had a password. */
export function passwordChangedMessage({ email }: { email: string }, site: Site): Message {
  return {
    to: email,
    subject: `Your ${site.product} password was changed`,
    paragraphs: [
      "Your account has a new password, and is signed out wherever it was signed in with the old one.",
    ],
    footnotes: [notYou(site)],
  };
}

/** To the owner of an account that had no password. */
export function passwordSetMessage(to: string, site: Site): Message {
  return {
    to,
    subject: `Your ${site.product} account has a password now`,
    paragraphs: [
      "A password was set for your account, which had none. Everybody who was signed in to it elsewhere has been signed out.",
    ],
    footnotes: [notYou(site)],
  };
}

/** @param provider its name */
export function connectedMessage(email: string, provider: string, site: Site): Message {
  return {
    to: email,
    subject: `${provider} is connected to your ${site.product} account`,
    paragraphs: [
      `${provider} can sign you in from now on. Everything else works as before.`,
      "If it was not you, disconnect it on your account page, change your password, and sign out everywhere else.",
    ],
    action: { label: "Open your account", url: `${site.origin}/account` },
    footnotes: [
      {
        text: `You get this because this is the address of your account. Write to ${site.supportEmail} if you need help.`,
      },
    ],
  };
}

/** @param provider its name */
export function disconnectedMessage(to: string, provider: string, site: Site): Message {
  return {
    to,
    subject: `${provider} was disconnected`,
    paragraphs: [
      `${provider} no longer signs you in to your ${site.product} account. Your other ways in work as before.`,
      "If it was you, you do not need to do anything.",
    ],
    footnotes: [notYou(site)],
  };
}

/** The last email of an account. @param hadPaidPlan whether there may be a payment to refund */
export function deletedMessage(to: string, site: Site, hadPaidPlan: boolean): Message {
  return {
    to,
    subject: "Your account is deleted",
    paragraphs: [
      `Your ${site.product} account and what belonged to it are deleted.`,
      ...(hadPaidPlan
        ? [
            "The plan you paid for has ended, and nothing more is charged. To get your latest payment back, write to us within 14 days of it.",
          ]
        : []),
    ],
    footnotes: [supportNote(`If it was not you${hadPaidPlan ? ", or for a refund" : ""}:`, site)],
  };
}

function notYou(site: Site): Message["footnotes"][number] {
  return {
    text: `If it was not you, choose a new password at once and write to ${site.supportEmail}:`,
    link: { label: "Reset the password", url: `${site.origin}/forgot-password` },
  };
}

function supportNote(text: string, { supportEmail }: Site): Message["footnotes"][number] {
  return { text, link: { label: supportEmail, url: `mailto:${supportEmail}` } };
}
