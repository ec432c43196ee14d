import type { FeatureStates } from "../entitlements/features.ts";
import { whatIsLive } from "../entitlements/state-of-the-app.ts";
import { PLAN_NAMES } from "../entitlements/tiers.ts";
import type { Message } from "../mail/message.ts";
import { WAITLIST_CODE } from "../ui/offer.ts";
import type { Site } from "../ui/site.ts";
import { linksOf, redeemLink, referralLink } from "./links.ts";
import { type CodeTerms, DAYS_TO_CONFIRM, freeTime, lastDayOf, PLACES_PER_FRIEND } from "./rules.ts";

// No mail quotes form input: otherwise anyone could send text of their own to any address.

interface Recipient {
  email: string;
  token: string;
}

interface InvitationCode extends CodeTerms {
  code: string;
}

export function confirmMessage({ email, token }: Recipient, site: Site): Message {
  const links = linksOf(token, site);
  return {
    to: email,
    subject: `Confirm your place on the ${site.product} waitlist`,
    leaveUrl: links.leave,
    paragraphs: [
      `${someoneEntered(site)}. Confirm your place below to join. ${WAITLIST_CODE}`,
      `The link works for ${DAYS_TO_CONFIRM} days. If you don’t confirm by then, we delete your email address.`,
    ],
    action: { label: "Confirm your place", url: links.confirm },
    footnotes: [
      {
        text: "Not you? Ignore this email, or delete your address right away:",
        link: { label: "Delete my address", url: links.leave },
      },
    ],
  };
}

export function alreadyOnListMessage({ email, token }: Recipient, site: Site): Message {
  const links = linksOf(token, site);
  return {
    to: email,
    subject: `You’re already on the ${site.product} waitlist`,
    leaveUrl: links.leave,
    paragraphs: [
      `${someoneEntered(site)} again. You already have a confirmed place, so nothing has changed.`,
      "Not you? Someone probably mistyped their own address. There’s nothing you need to do.",
    ],
    action: { label: "See your place", url: links.place },
    footnotes: [leaveFootnote(links.leave)],
  };
}

export function welcomeMessage(member: Recipient & { referralCode: string }, site: Site): Message {
  const links = linksOf(member.token, site);
  return {
    to: member.email,
    subject: `You’re on the ${site.product} waitlist`,
    leaveUrl: links.leave,
    paragraphs: [
      `Your place on the waitlist is confirmed. ${WAITLIST_CODE} Until then, there’s nothing you need to do.`,
      {
        text: `Want to move up? Each friend who joins with your link and confirms moves you up ${PLACES_PER_FRIEND} places. Your link to share:`,
        url: referralLink(member.referralCode, site),
      },
      "See your number below. Keep that link private: anyone who has it can remove you from the list.",
    ],
    action: { label: "See your place", url: links.place },
    footnotes: [leaveFootnote(links.leave)],
  };
}

export function invitationMessage(
  member: Recipient,
  { code, ...terms }: InvitationCode,
  site: Site,
  features: FeatureStates,
): Message {
  const links = linksOf(member.token, site);
  const lastDay = lastDayOf(terms);
  return {
    to: member.email,
    subject: `It’s your turn: your ${site.product} code`,
    leaveUrl: links.leave,
    paragraphs: [
      `You’re off the waitlist. Here’s your code for ${freeTime(terms)} of ${PLAN_NAMES[terms.tier]}: no card, and nothing to cancel.`,
      `Your code: ${code}`,
      whatIsLive(features),
      `The free time starts when you apply the code. It works once${lastDay ? `, until the end of ${lastDay} (UTC)` : ""}.`,
    ],
    action: { label: "Sign up with your code", url: redeemLink(code, site) },
    footnotes: [
      {
        text: "Your code is on your waitlist page, too. Keep that link private:",
        link: { label: "See your code", url: links.place },
      },
      leaveFootnote(links.leave),
    ],
  };
}

function someoneEntered({ product }: Site): string {
  return `Someone, probably you, entered this email address for the ${product} waitlist`;
}

function leaveFootnote(url: string): Message["footnotes"][number] {
  return {
    text: "You’re getting this email because you’re on the waitlist. Leave it and we’ll delete your address right away:",
    link: { label: "Leave the list", url },
  };
}
