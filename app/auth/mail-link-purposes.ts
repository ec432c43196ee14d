/** What the link of a mail may do. */
export type MailLinkPurpose = "verify_email" | "reset_password" | "change_email";

/** How long a link works, in hours. A reset opens the account to whoever reads the mail, so it is the shortest. */
export const LINK_HOURS: Record<MailLinkPurpose, number> = {
  verify_email: 72,
  change_email: 24,
  reset_password: 1,
};
