/** What the encoder ends with, beside 0. Anything else is a fault of ours. */
export const EXIT_TOO_MANY_PIXELS = 3;
export const EXIT_UNREADABLE = 4;

/** As many as the best phones take at once. */
export const MAX_PIXELS = 50_000_000;
