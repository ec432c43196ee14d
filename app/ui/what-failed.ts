export const OUR_FAULT = "Something broke on our side. Try again in a moment.";

export const COULD_NOT_REACH = "We couldn’t reach the site. Check your connection and try again.";
