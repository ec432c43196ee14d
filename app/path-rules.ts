/** The paths that the rules for all requests treat apart. */
export const PATH_RULES = {
  /** Stripe's webhook, whose signed bodies may be larger. */
  events: "/webhooks/stripe",
  /**
   * What another site's form may POST to: authenticated by what it carries and not by a cookie, by Stripe's signature or
   * by a token that only its owner's mail has (RFC 8058).
   */
  fromAnywhere: ["/webhooks/stripe", "/waitlist/leave"],
  /** Where the hosted app's own page sends its user with a form. */
  handoff: "/auth/handoff",
} as const;
