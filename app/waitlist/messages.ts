import type { Message } from "../mail/message.ts";
import type { Site } from "../ui/site.ts";
import { linksOf, referralLink } from "./links.ts";
import { DAYS_TO_CONFIRM, PLACES_PER_FRIEND } from "./rules.ts";

// No mail quotes form input: otherwise anyone could send text of their own to any address.

/** The address of a mail and the token of its links. */
interface Recipient {
  email: string;
  token: string;
}

/** Asks the owner of the address to confirm the place. */
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

/** Sent when an address that is confirmed already is entered again. */
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
    footnotes: [leaveFootnote(links.leave)],
  };
}

/** Sent after the place is confirmed. */
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
    footnotes: [leaveFootnote(links.leave)],
  };
}

function someoneEntered({ product }: Site): string {
  return `Someone, probably you, entered this address for the ${product} waitlist`;
}

function leaveFootnote(url: string): Message["footnotes"][number] {
  return {
    text: "You get this because this address is on the waitlist. To leave it and delete the address:",
    link: { label: "Leave the list", url },
  };
}
