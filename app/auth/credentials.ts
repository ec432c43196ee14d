/** In characters. NIST SP 800-63B: length counts, composition rules do not. */
export const PASSWORD_LENGTH = { min: 12, max: 128 };

/** `passwordProblem` knows the rest. */
export const PASSWORD_HINT = `At least ${PASSWORD_LENGTH.min} characters. Avoid common phrases and your own name.`;

export const ADDRESS_TAKEN = "This email address already has an account.";

export const WRONG_PASSWORD = "Wrong password.";

export const MISSING_PASSWORD = "Enter the account’s password.";
