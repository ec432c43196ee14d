import type { Message } from "../mail/message.ts";
import { REFUND_PROMISE } from "../ui/offer.ts";
import { type Site, supportAddress, supportUrl } from "../ui/site.ts";

// No message repeats typed text: it may be a stranger's.

/** To the owner of an address that is wanted for another account. */
export function addressInUseMessage(to: string, site: Site): Message {
  return {
    to,
    subject: "Someone tried to use your email address",
    paragraphs: [
      `Someone asked to use this email address for another ${site.product} account. It belongs to yours, so nothing has changed. We didn’t tell them that you have an account.`,
      "Was it you? Log in with this email address, or delete this account first to use the email address for the other one.",
    ],
    footnotes: [supportNote("Does this keep happening? Email us:", site)],
  };
}

/** To the address an account still has. */
export function addressChangeAskedMessage(to: string, site: Site): Message {
  return {
    to,
    subject: "Someone asked to change your email address",
    paragraphs: [
      `Someone who is signed in to your ${site.product} account asked to change its email address. Nothing has changed yet. We emailed the new one, and the change waits until it’s confirmed there.`,
      "If it was you, you don’t need to do anything here.",
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
      `Your ${site.product} account now has a different email address. This one no longer signs you in, and emails about the account go to the new one.`,
      "If it was you, you don’t need to do anything.",
    ],
    footnotes: [supportNote("Not you? Email us right away:", site)],
  };
}

/** To the owner of an account that had a password. */
export function passwordChangedMessage({ email }: { email: string }, site: Site): Message {
  return {
    to: email,
    subject: `Your ${site.product} password was changed`,
    paragraphs: ["Your account has a new password, and every other device is signed out."],
    footnotes: [notYou(site)],
  };
}

/** To the owner of an account that had no password. */
export function passwordSetMessage(to: string, site: Site): Message {
  return {
    to,
    subject: `A password was added to your ${site.product} account`,
    paragraphs: ["Your account had no password before. Every other device is signed out."],
    footnotes: [notYou(site)],
  };
}

/** @param provider its name */
export function connectedMessage(email: string, provider: string, site: Site): Message {
  return {
    to: email,
    subject: `${provider} is connected to your ${site.product} account`,
    paragraphs: [
      `${provider} can now sign you in. Nothing else has changed.`,
      "Not you? Disconnect it on your account page, change your password, and sign out everywhere else.",
    ],
    action: { label: "Open your account", url: `${site.origin}/account` },
    footnotes: [
      {
        text: `You’re getting this email because it’s about your account. Need help? Email ${supportAddress(site)}.`,
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
      `${provider} no longer signs you in to your ${site.product} account. Your other sign-in methods work as before.`,
      "If it was you, you don’t need to do anything.",
    ],
    footnotes: [notYou(site)],
  };
}

/** To an address that nobody confirmed, which may be a stranger's. */
export function endingMessage(to: string, site: Site): Message {
  return {
    to,
    subject: `Your ${site.product} account ends unless you confirm it`,
    paragraphs: [
      `Someone opened a ${site.product} account with this email address over three weeks ago, and nobody has confirmed the address. In a week we delete the account and what is in it.`,
      "Want to keep it? Log in and confirm your email address. If you don’t know the password, reset it, which confirms the address, too.",
    ],
    action: { label: "Log in", url: `${site.origin}/login?return_to=/account` },
    footnotes: [{ text: "Not you? Ignore this email, and the account is gone in a week." }],
  };
}

/** The last email of an account. @param hadPaidPlan whether there may be a payment to refund */
export function deletedMessage(to: string, site: Site, hadPaidPlan: boolean): Message {
  return {
    to,
    subject: "Your account is deleted",
    paragraphs: [
      `Your ${site.product} account and the data in it are deleted.`,
      ...(hadPaidPlan
        ? [
            "The plan you paid for has ended, and you won’t be charged again.",
            `Want a refund? Email ${supportAddress(site)}. ${REFUND_PROMISE}`,
          ]
        : []),
    ],
    footnotes: [supportNote("Not you? Email us:", site)],
  };
}

/** The footnote with the way to reset the password. */
export function notYou(site: Site): Message["footnotes"][number] {
  return {
    text: `Not you? Reset your password right away, and email ${supportAddress(site)}.`,
    link: { label: "Reset the password", url: `${site.origin}/forgot-password` },
  };
}

function supportNote(text: string, site: Site): Message["footnotes"][number] {
  return { text, link: { label: supportAddress(site), url: supportUrl(site) } };
}
