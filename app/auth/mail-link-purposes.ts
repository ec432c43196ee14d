/** What a link in a mail does. */
export type MailLinkPurpose = "verify_email" | "reset_password" | "change_email";

/** How long a link works, in hours. A reset needs nothing but the mail, so it is the shortest. */
export const LINK_HOURS: Record<MailLinkPurpose, number> = {
  verify_email: 72,
  change_email: 24,
  reset_password: 1,
};
