/** The message for unexpected errors. */
export const OUR_FAULT = "Something broke on our side. Try again in a moment.";

/** Said when a page's script could not send something. */
export const COULD_NOT_REACH = "We couldn’t reach the site. Check your connection and try again.";
