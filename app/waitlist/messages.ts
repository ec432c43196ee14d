import type { Message } from "../mail/message.server.tsx";
import type { Site } from "../site.ts";
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
      `This address was entered on the waitlist of ${site.product}. If that was you, open the page below and press its button; then the place is yours.`,
      `The link works for ${DAYS_TO_CONFIRM} days. Unconfirmed, the address is deleted after that.`,
    ],
    action: { label: "Confirm your place", url: links.confirm },
    footnotes: [
      {
        text: "Was it not you? Do nothing, or have the address deleted now:",
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
    subject: `You are on the ${site.product} waitlist already`,
    leaveUrl: links.leave,
    paragraphs: [
      `This address was entered on the waitlist of ${site.product} again. It is on the list and confirmed; nothing has changed.`,
      "If that was not you, somebody mistyped theirs. There is nothing you need to do.",
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
      "Your place is confirmed. We write to this address when it is your turn in beta phase 1; until then there is nothing you need to do.",
      `To move up: each friend who joins by your link and confirms moves you up ${PLACES_PER_FRIEND} places. This is the link to give away:\n${referralLink(member.referralCode, site)}`,
      "The page below shows your number. Keep its address to yourself.",
    ],
    action: { label: "See your place", url: links.place },
    footnotes: [leaveNote(links.leave)],
  };
}

function leaveNote(url: string): Message["footnotes"][number] {
  return {
    text: "You get this because this address is on the waitlist. To leave it and have the address deleted:",
    link: { label: "Leave the list", url },
  };
}
