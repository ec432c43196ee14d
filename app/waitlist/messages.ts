import type { Message } from "../mail/message.ts";
import type { Site } from "../ui/site.ts";
import { linksOf, referralLink } from "./links.ts";
import { DAYS_TO_CONFIRM, PLACES_PER_FRIEND } from "./rules.ts";

// None of these repeats anything a stranger could have typed into the form: it would be an open relay for their words.

/** Whom a mail is to, and the token of its links. */
interface Recipient {
  email: string;
  token: string;
}

/** Asks whether the address wants the place that somebody asked for in its name. */
export function confirmMessage({ email, token }: Recipient, site: Site): Message {
  const links = linksOf(token, site);
  return {
    to: email,
    subject: `Confirm your place on the ${site.product} waitlist`,
    leaveUrl: links.leave,
    paragraphs: [
      `${someoneEntered(site)}. Open the page below and press its button, and the place is yours.`,
      `The link works for ${DAYS_TO_CONFIRM} days. If you do not confirm, we then delete the address.`,
    ],
    action: { label: "Confirm your place", url: links.confirm },
    footnotes: [
      {
        text: "If it was not you, do nothing, or delete the address now:",
        link: { label: "Leave the list", url: links.leave },
      },
    ],
  };
}

/** The answer to asking for a place that the address has. */
export function alreadyOnListMessage({ email, token }: Recipient, site: Site): Message {
  const links = linksOf(token, site);
  return {
    to: email,
    subject: `You are already on the ${site.product} waitlist`,
    leaveUrl: links.leave,
    paragraphs: [
      `${someoneEntered(site)} again. It is on the list and confirmed; nothing has changed.`,
      "If it was not you, somebody mistyped theirs. You do not need to do anything.",
    ],
    action: { label: "See your place", url: links.place },
    footnotes: [leaveNote(links.leave)],
  };
}

/** What somebody gets who has confirmed. */
export function welcomeMessage(member: Recipient & { referralCode: string }, site: Site): Message {
  const links = linksOf(member.token, site);
  return {
    to: member.email,
    subject: `You are on the ${site.product} waitlist`,
    leaveUrl: links.leave,
    paragraphs: [
      "Your place is confirmed. We write to this address when it is your turn in beta phase 1; until then you do not need to do anything.",
      {
        text: `To move up: each friend who joins by your link and confirms moves you up ${PLACES_PER_FRIEND} places. This is your link to share:`,
        url: referralLink(member.referralCode, site),
      },
      "The page below shows your number. Keep its address to yourself.",
    ],
    action: { label: "See your place", url: links.place },
    footnotes: [leaveNote(links.leave)],
  };
}

function someoneEntered({ product }: Site): string {
  return `Someone, probably you, entered this address for the ${product} waitlist`;
}

function leaveNote(url: string): Message["footnotes"][number] {
  return {
    text: "You get this because this address is on the waitlist. To leave it and delete the address:",
    link: { label: "Leave the list", url },
  };
}
