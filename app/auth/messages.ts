import { type Message, supportNote } from "../mail/message.ts";
import { REFUND_PROMISE } from "../ui/offer.ts";
import { type Site, supportAddress } from "../ui/site.ts";

// No message repeats typed text: we would relay a stranger's words.

export const IF_IT_WAS_YOU = "If it was you, you don’t need to do anything.";

interface Recipient {
  email: string;
  token: string;
}

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
        text: "Not you? Ignore this email, or reset the password: that signs everyone else out and makes the account yours.",
        link: { label: "Reset the password", url: `${site.origin}/forgot-password` },
      },
    ],
  };
}

export function resetMessage({ email, token }: Recipient, site: Site): Message {
  return {
    to: email,
    subject: `Choose a new password for ${site.product}`,
    paragraphs: [
      `Someone, probably you, asked to reset the password for your ${site.product} account. ${linkLife("reset_password")}`,
    ],
    action: { label: "Choose a new password", url: `${site.origin}/reset-password?token=${token}` },
    footnotes: [{ text: "Not you? Ignore this email. Your password stays as it is." }],
  };
}

/** After wrong passwords. */
export function pausedMessage({ email, token }: Recipient, site: Site): Message {
  return {
    to: email,
    subject: `Too many wrong passwords for your ${site.product} account`,
    paragraphs: [
      "Someone entered ten wrong passwords for your account within 15 minutes. They didn’t get in. Logging in with a password is paused for up to 15 minutes where they are, and works as usual everywhere else.",
      `Was it you? Wait a little, or choose a new password now, which ends the pause right away. ${linkLife("reset_password")}`,
    ],
    action: { label: "Choose a new password", url: `${site.origin}/reset-password?token=${token}` },
    footnotes: [
      {
        text: "Not you? If your password is hard to guess and you use it nowhere else, you don’t need to do anything.",
      },
    ],
  };
}

/** To a new address, which confirming makes the account's. */
export function confirmAddressMessage(to: string, token: string, site: Site): Message {
  return {
    to,
    subject: `Confirm your new email address for ${site.product}`,
    paragraphs: [
      `Someone, probably you, asked to switch their ${site.product} account to this email address.`,
      `Open the link on a device where you’re signed in, or have your password ready. The link works for ${LINK_HOURS.change_email} hours, and nothing changes until you confirm.`,
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

export type MailLinkPurpose = "verify_email" | "reset_password" | "change_email";

/** A reset needs nothing but the mail, so it is the shortest. */
export const LINK_HOURS: Record<MailLinkPurpose, number> = {
  verify_email: 72,
  change_email: 24,
  reset_password: 1,
};

export function addressInUseMessage(to: string, site: Site): Message {
  return {
    to,
    subject: "Someone tried to use your email address",
    paragraphs: [
      `Someone asked to use this email address for another ${site.product} account. It belongs to yours, so nothing has changed. We didn’t tell them that you have an account.`,
      "Was it you? Log in with this email address. To use it for the other account, delete this account first.",
    ],
    footnotes: [supportNote("Does this keep happening? Email us:", site)],
  };
}

/** To the account's current address. */
export function addressChangeAskedMessage(to: string, site: Site): Message {
  return securityMessage(to, site, "Someone asked to change your email address", [
    `Someone signed in to your ${site.product} account asked to change its email address. Nothing has changed yet: we emailed the new address, and the change waits until it’s confirmed there.`,
    "If it was you, you don’t need to do anything here.",
  ]);
}

export function addressChangedMessage(to: string, site: Site): Message {
  return {
    to,
    subject: "Your email address was changed",
    paragraphs: [
      `Your ${site.product} account now has a different email address. This one no longer signs you in, and emails about the account go to the new one.`,
      IF_IT_WAS_YOU,
    ],
    footnotes: [supportNote("Not you? Email us right away:", site)],
  };
}

export function passwordChangedMessage({ email }: { email: string }, site: Site): Message {
  return securityMessage(email, site, `Your ${site.product} password was changed`, [
    "Your account has a new password, and every other device is signed out.",
    IF_IT_WAS_YOU,
  ]);
}

export function passwordSetMessage(to: string, site: Site): Message {
  return securityMessage(to, site, `A password was added to your ${site.product} account`, [
    "You can now log in with your email address and that password. Every other device is signed out.",
    IF_IT_WAS_YOU,
  ]);
}

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
      supportNote("You’re getting this email because it’s about your account. Need help? Email us:", site),
    ],
  };
}

export function disconnectedMessage(to: string, provider: string, site: Site): Message {
  return securityMessage(to, site, `${provider} was disconnected from your ${site.product} account`, [
    `${provider} no longer signs you in. Your other sign-in methods work as before.`,
    IF_IT_WAS_YOU,
  ]);
}

/** To an unconfirmed address, which may be a stranger's. */
export function endingMessage(to: string, site: Site): Message {
  return {
    to,
    subject: `Your ${site.product} account will be deleted unless you confirm it`,
    paragraphs: [
      `Someone, probably you, signed up for ${site.product} with this email address over three weeks ago, and never confirmed it. In a week, we’ll delete the account and everything in it.`,
      "Want to keep it? Log in and confirm your email address. If you don’t know the password, reset it: that confirms your email address, too.",
    ],
    action: { label: "Log in", url: `${site.origin}/login?return_to=/account` },
    footnotes: [{ text: "Not you? Ignore this email." }],
  };
}

/** @param hadPaidPlan whether there may be a payment to refund */
export function deletedMessage(to: string, site: Site, hadPaidPlan: boolean): Message {
  return {
    to,
    subject: "Your account is deleted",
    paragraphs: [
      `Your ${site.product} account and everything in it have been deleted.`,
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

/** Of a change that may be an intruder's. */
export function securityMessage(
  to: string,
  site: Site,
  subject: string,
  paragraphs: string[],
  action?: Message["action"],
): Message {
  const text = `Not you? Reset your password right away, and email ${supportAddress(site)}.`;
  const link = { label: "Reset the password", url: `${site.origin}/forgot-password` };
  return { to, subject, paragraphs, action, footnotes: [{ text, link }] };
}
