import type { App } from "../http/context.server.ts";
import type { Job } from "../outbox/outbox.server.ts";
import type { Site } from "../ui/site.ts";
import { toHtml } from "./email-template.server.tsx";
import type { QueuedMail } from "./enqueue-mail.server.ts";

/** As long as mail servers retry themselves (RFC 5321 §4.5.4.1: four or five days). */
const MAX_RETRY_DAYS = 5;

/**
 * Sends a mail from the outbox. Gives up, with a warning in the log, when the address does not exist or no server has
 * accepted the mail for days, because its text should not be stored forever.
 *
 * @throws when a later attempt may succeed
 */
export async function deliverMail(
  { mailer, log }: Pick<App, "mailer" | "log">,
  site: Site,
  mail: QueuedMail,
  job: Job,
): Promise<void> {
  if (!mailer.isOn) throw new Error("mail is off");
  const logGivenUp = (why: string) => log.warn({ job: job.id }, `a mail was given up: ${why}`);
  try {
    const isAccepted = await mailer.send(
      "paragraphs" in mail ? { ...mail, html: toHtml(site, mail) } : mail,
      job.id,
    );
    if (!isAccepted) logGivenUp("nobody has its address");
  } catch (error) {
    if (Date.now() - job.createdAt.getTime() < MAX_RETRY_DAYS * 24 * 60 * 60 * 1000) throw error;
    logGivenUp(`no server took it for ${MAX_RETRY_DAYS} days`);
  }
}
