/** What the encoder ends with when it is the photo's fault. Anything else but 0 is ours. */
export const EXIT_TOO_MANY_PIXELS = 3;
export const EXIT_UNREADABLE = 4;
