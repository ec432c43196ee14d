import type { Message } from "../../mail/message.ts";
import type { Site } from "../../ui/site.ts";
import { notYou } from "../messages.ts";

// No message repeats a name that was typed.

/** @param kind "an authenticator app", "a passkey" */
export function factorAddedMessage(to: string, kind: string, isFirst: boolean, site: Site): Message {
  const what = isFirst
    ? `Signing in to your ${site.product} account now takes a second step, with ${kind}. Every other device is signed out.`
    : `Your ${site.product} account has another second sign-in step: ${kind}. Every other device is signed out.`;
  return {
    to,
    subject: "A second sign-in step was added",
    paragraphs: [
      what,
      "Keep your recovery codes somewhere safe: each one signs you in once if you lose your device.",
    ],
    action: { label: "Open your account", url: `${site.origin}/account/second-factor` },
    footnotes: [notYou(site)],
  };
}

export function factorRemovedMessage(to: string, kind: string, isLast: boolean, site: Site): Message {
  return {
    to,
    subject: "A second sign-in step was removed",
    paragraphs: [
      isLast
        ? `Your ${site.product} account no longer has ${kind}. Signing in takes one step again, and your recovery codes have ended. Every other device is signed out.`
        : `Your ${site.product} account no longer has ${kind}. Your other second step works as before. Every other device is signed out.`,
    ],
    footnotes: [notYou(site)],
  };
}

/** After an operator removed it. */
export function factorRemovedForYouMessage(to: string, site: Site): Message {
  return {
    to,
    subject: "We turned off your two-step login",
    paragraphs: [
      `Your ${site.product} account takes one step to sign in again, and you’re signed out everywhere. Log in, then set up a new second step.`,
    ],
    action: { label: "Log in", url: `${site.origin}/login?return_to=/account/second-factor` },
    footnotes: [notYou(site)],
  };
}

export function recoveryCodesMadeMessage(to: string, site: Site): Message {
  return {
    to,
    subject: "You have new recovery codes",
    paragraphs: [
      `Someone signed in to your ${site.product} account made new recovery codes. Codes made before have ended.`,
      "If it was you, you don’t need to do anything.",
    ],
    footnotes: [notYou(site)],
  };
}

/** @param left unused codes */
export function recoveryCodeUsedMessage(to: string, left: number, site: Site): Message {
  return {
    to,
    subject: "A recovery code was used",
    paragraphs: [
      `Someone showed a recovery code of your ${site.product} account. It won’t work again. ${codesLeft(left)}`,
      "If it was you, you don’t need to do anything.",
    ],
    action: { label: "Make new codes", url: `${site.origin}/account/second-factor` },
    footnotes: [notYou(site)],
  };
}

function codesLeft(left: number): string {
  if (left === 0) return "None are left: make new ones now.";
  return left === 1 ? "One is left: make new ones soon." : `${left} are left.`;
}

/** The sender of wrong codes knew the password. */
export function factorPausedMessage(to: string, site: Site): Message {
  return {
    to,
    subject: "Someone may know your password",
    paragraphs: [
      `Someone signed in to your ${site.product} account as far as the second step, then entered wrong codes. They didn’t get in, and nothing changes for you.`,
      "Was it you? Wait a little and try again, or use a passkey or a recovery code, which always work.",
    ],
    footnotes: [notYou(site)],
  };
}
