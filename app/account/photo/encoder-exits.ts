/** The encoder's exit codes for a photo it cannot take; any other than 0 is our bug. */
export const EXIT_TOO_MANY_PIXELS = 3;
export const EXIT_UNREADABLE = 4;
