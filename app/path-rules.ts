/** Paths with exceptions from the rules for all requests. */
export const PATH_RULES = {
  /** Stripe's webhook: its signed bodies may be larger. */
  events: "/webhooks/stripe",
  /** Takes a form with a file, which may be larger. */
  uploads: "/account/photo",
  /**
   * Exempt from the origin check, because their requests are authenticated by Stripe's signature or by a token from a
   * mail (RFC 8058) and not by a cookie.
   */
  fromAnywhere: ["/webhooks/stripe", "/waitlist/leave", "/news/unsubscribe"],
  /** Signing in with a provider may begin under another of the site's names: people are led to the one it has to end at. */
  fromOtherNames: "/auth/start/",
  /** Shows the key of an authenticator app with every answer: no browser may store it. */
  secrets: "/account/second-factor/app",
  /** The hosted app's page may POST a form to it. */
  handoff: "/auth/handoff",
  /**
   * The first segments of the pages that people may be sent back to after signing in: they can see them, and opening
   * them changes nothing. Nothing below `/auth`, no endpoint of a program, and not where people sign in or out.
   */
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
