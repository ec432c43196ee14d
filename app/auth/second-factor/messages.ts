import type { Message } from "../../mail/message.ts";
import type { Site } from "../../ui/site.ts";
import { IF_IT_WAS_YOU, securityMessage } from "../messages.ts";

// No message repeats a name that was typed.

/** @param kind "an authenticator app", "a passkey" */
export function factorAddedMessage(to: string, kind: string, isFirst: boolean, site: Site): Message {
  const what = isFirst
    ? `Logging in to your ${site.product} account now takes a second step: ${kind}. Every other device is signed out.`
    : `Your ${site.product} account has another second sign-in step now: ${kind}. Every other device is signed out.`;
  const note = "Keep your recovery codes somewhere safe: each one signs you in once if you lose your device.";
  const action = { label: "Open your account", url: `${site.origin}/account/second-factor` };
  return securityMessage(to, site, "A second sign-in step was added", [what, note], action);
}

export function factorRemovedMessage(to: string, kind: string, isLast: boolean, site: Site): Message {
  return securityMessage(to, site, "A second sign-in step was removed", [
    isLast
      ? `Your ${site.product} account no longer uses ${kind}. Logging in takes one step again, and your recovery codes no longer work. Every other device is signed out.`
      : `Your ${site.product} account no longer uses ${kind}. Your other second step works as before. Every other device is signed out.`,
  ]);
}

/** After an operator removed it. */
export function factorRemovedForYouMessage(to: string, site: Site): Message {
  const what = `Logging in to your ${site.product} account takes one step again, and you’re signed out everywhere. Log in, then set up a new second step.`;
  const action = { label: "Log in", url: `${site.origin}/login?return_to=/account/second-factor` };
  return securityMessage(to, site, "We turned off your two-step login", [what], action);
}

export function recoveryCodesMadeMessage(to: string, site: Site): Message {
  return securityMessage(to, site, "You have new recovery codes", [
    `New recovery codes were made for your ${site.product} account. The old ones no longer work.`,
    IF_IT_WAS_YOU,
  ]);
}

export function recoveryCodeUsedMessage(to: string, left: number, site: Site): Message {
  const what = `Someone used a recovery code of your ${site.product} account. It won’t work again. ${codesLeft(left)}`;
  const action = { label: "Make new codes", url: `${site.origin}/account/second-factor` };
  return securityMessage(to, site, "A recovery code was used", [what, IF_IT_WAS_YOU], action);
}

function codesLeft(left: number): string {
  if (left === 0) return "You have none left: make new ones now.";
  return left === 1 ? "You have one left: make new ones soon." : `You have ${left} left.`;
}

/** The sender of wrong codes knew the password. */
export function factorPausedMessage(to: string, site: Site): Message {
  return securityMessage(to, site, "Someone may know your password", [
    `Someone entered the password of your ${site.product} account, then too many wrong codes for the second step. They didn’t get in, and nothing has changed.`,
    "Was it you? Wait a little and try again, or use a passkey or a recovery code, which always work.",
  ]);
}
