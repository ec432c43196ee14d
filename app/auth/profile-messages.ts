import type { Message } from "../mail/message.ts";
import type { Site } from "../ui/site.ts";
import { LINK_HOURS } from "./mail-link-purposes.ts";
import { notYou } from "./messages.ts";

// None of these repeats anything but its own recipient's address: nobody can have us write their words to others.

/** Asks a new address whether it is the person's own. */
export function confirmAddressMessage(to: string, token: string, site: Site): Message {
  return {
    to,
    subject: `Confirm your new email address for ${site.product}`,
    paragraphs: [
      `Someone, probably you, asked to use this address for their ${site.product} account. Confirm it, and the account has this address from then on.`,
      `Open the link where you are logged in, or have your password ready. It works for ${LINK_HOURS.change_email} hours, and nothing changes until you confirm.`,
    ],
    action: {
      label: "Confirm the new address",
      url: `${site.origin}/account/email/confirm?${new URLSearchParams({ token })}`,
    },
    footnotes: [
      {
        text: "Not you? Ignore this email: without the password of that account nobody can use your address for it.",
      },
    ],
  };
}

/** What the owner of an account gets whose address somebody else wants for theirs. */
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

/** The note to the address an account still has. */
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

/** The note to the address an account had. */
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

/** Tells the owner of an account without a password that it has one. */
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

/** The last email of an account. @param hadPaidPlan whether there may be a payment to get back */
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

function supportNote(text: string, { supportEmail }: Site): Message["footnotes"][number] {
  return { text, link: { label: supportEmail, url: `mailto:${supportEmail}` } };
}
