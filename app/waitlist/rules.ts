/** How many places a member moves up for each friend who joins by their link and confirms. */
export const PLACES_PER_FRIEND = 5;

/** How many mails an address can be sent until a day has passed without one: the first and three more. */
export const MAILS_A_DAY = 4;

/** How long a place can be confirmed, in days from the latest confirmation mail. */
export const DAYS_TO_CONFIRM = 7;
