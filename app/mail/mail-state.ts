export type MailState = "waiting" | "failing" | "given_up" | "sent";

/** @param mail includes the error of its job's last try */
export function stateOfMail(mail: {
  sentAt: Date | null;
  givenUpAt: Date | null;
  lastError: string | null;
}): MailState {
  if (mail.sentAt) return "sent";
  if (mail.givenUpAt) return "given_up";
  return mail.lastError ? "failing" : "waiting";
}
