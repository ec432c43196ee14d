export const PATH_RULES = {
  /** Signed bodies may be larger. */
  events: "/webhooks/stripe",
  /** Takes a form with a file, which may be larger. */
  uploads: "/account/photo",
  /** Authenticated by Stripe's signature or by a token from a mail (RFC 8058) and not by a cookie. */
  fromAnywhere: ["/webhooks/stripe", "/waitlist/leave", "/news/unsubscribe"],
  /** Signing in may begin under another of the site's names, and leads to the one it has to end at. */
  fromOtherNames: "/auth/start/",
  /** Their answers have the key of an authenticator app, or recovery codes: no browser may store them. */
  secrets: ["/account/second-factor/app", "/account/second-factor/codes"],
  /** The hosted app's page may POST a form to it. */
  handoff: "/auth/handoff",
  /** First segments of pages to return to after signing in: people can see them, and opening them changes nothing. */
  returnPages: [
    "",
    "features",
    "why-different",
    "pricing",
    "faq",
    "privacy",
    "terms",
    "contact",
    "changelog",
    "blog",
    "waitlist",
    "news",
    "forgot-password",
    "reset-password",
    "verify-email",
    "subscription",
    "dashboard",
    "test-promo",
    "account",
    "admin",
  ],
} as const;
