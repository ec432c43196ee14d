/** How far up the list each friend who confirms moves the one whose link they came by. */
export const PLACES_PER_FRIEND = 5;

/** How many mails an address can be made to get before a day must pass without one: the first and three more. */
export const MAILS_A_DAY = 4;

/** How long a place waits to be confirmed, in days from the latest mail that asks for it. */
export const DAYS_TO_CONFIRM = 7;
