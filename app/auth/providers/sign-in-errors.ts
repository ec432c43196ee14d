import { PROVIDER_NAMES, type Provider } from "./providers.ts";

/** Spec §8. */
export const SIGN_IN_FAILURES: Record<Provider, string> = {
  google: "Failed to sign in with Google",
  facebook: "Failed to sign in with Facebook",
};

export const NO_COOKIES =
  "Your browser is blocking cookies for this site, and you can’t log in without them. Allow cookies and try again.";

/** The first eight are the codes of spec §8. */
const REASONS = {
  "popup-blocked": (name) =>
    `Your browser blocked the ${name} window, so we’re continuing in this tab. If nothing happens, press the button again.`,
  "popup-closed-by-user": (name) =>
    `The ${name} window was closed before you finished. If it’s still open, continue there. Otherwise press the button again.`,
  "cancelled-popup-request": (name) =>
    `The ${name} window was closed because you opened another one. Continue there.`,
  "unauthorized-domain": (name) =>
    `Signing in with ${name} doesn’t work on this domain. Check the address bar, or sign in with your password.`,
  "network-request-failed": (name) =>
    `We couldn’t reach ${name}. Try again in a moment, or sign in another way.`,
  "user-mismatch": (name) =>
    `This ${name} account isn’t connected to the account you’re signed in to. Choose the one that is.`,
  "invalid-api-key": (name) =>
    `${name} doesn’t recognize this site at the moment. That’s our mistake. Sign in another way, or contact us.`,
  "web-storage-unsupported": () => NO_COOKIES,
  "access-denied": (name) =>
    `You canceled the sign-in at ${name}, so nothing changed. Try again if you didn’t mean to.`,
  "account-exists": (name) =>
    `There’s already an account with this email address. Log in with your password, then connect ${name} on your account page.`,
  "account-exists-google": (name) =>
    name === PROVIDER_NAMES.google
      ? "The account with this email address uses another Google account. Log in with that one."
      : `There’s already an account with this email address. Log in with Google, then connect ${name} on your account page.`,
  "account-exists-facebook": (name) =>
    name === PROVIDER_NAMES.facebook
      ? "The account with this email address uses another Facebook account. Log in with that one."
      : `There’s already an account with this email address. Log in with Facebook, then connect ${name} on your account page.`,
  "address-unconfirmed": (name) =>
    `This email address has an account that was never confirmed. If it’s yours, reset the password, then connect ${name}.`,
  "confirm-first": () => "Confirm it’s you first: you signed in more than ten minutes ago.",
  "email-missing": (name) =>
    `${name} didn’t share an email address with us. Sign up with your email address and a password, then connect ${name} on your account page.`,
  "email-unverified": (name) =>
    `Confirm your email address first: open the link in our email. Then connect ${name}.`,
  "flow-expired": () =>
    "This sign-in has expired, was already used, or began in another browser. Start again.",
  "identity-taken": (name) =>
    `This ${name} account is already connected to another account here. Disconnect it there first, or choose another one.`,
  "identity-unproven": (name) =>
    `We couldn’t verify the answer from ${name}, so we didn’t use it. Start again.`,
  "internal-error": () =>
    "Something broke on our side. Try again in a moment. If it keeps happening, contact us.",
  "provider-connected": (name) =>
    `Your account is already connected to another ${name} account. Disconnect that one first.`,
  "provider-off": (name) => `Signing in with ${name} isn’t available here. Sign in another way.`,
  "provider-refused": (name) => `${name} didn’t complete the sign-in. Start again.`,
  "too-many-tries": (name) => `Too many attempts to sign in with ${name}. Wait ten minutes and try again.`,
  "second-factor": () => "Your account has two-step login. One more step and you’re in.",
  "other-account": () =>
    "You’re now signed in to another account than this page was for. Nothing was changed.",
  "signed-out": () => "You’ve been signed out. Log in and try again.",
} as const satisfies Record<string, (name: string) => string>;

export type SignInError = keyof typeof REASONS;

export const NEXT_STEPS: Partial<Record<SignInError, { href: string; label: string }>> = {
  "address-unconfirmed": { href: "/forgot-password", label: "Reset the password" },
  "email-missing": { href: "/register", label: "Sign Up" },
  "internal-error": { href: "/contact", label: "Contact Us" },
};

export function readSignInError(code: unknown): SignInError | null {
  return typeof code === "string" && Object.hasOwn(REASONS, code) ? (code as SignInError) : null;
}

export function reasonOf(provider: Provider, error: SignInError): string {
  return REASONS[error](PROVIDER_NAMES[provider]);
}
