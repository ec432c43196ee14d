import type { Log } from "../log/log.server.ts";
import type { Job } from "../outbox/outbox.server.ts";
import type { Mail, Mailer } from "./mail.server.ts";

/** As long as mail servers themselves keep on trying (RFC 5321 §4.5.4.1: four or five days). */
const LONGEST_DAYS = 5;

/**
 * Sends a mail from the outbox, or gives it up: nobody has its address, or no server has taken it for days, and its
 * text should not lie about for ever.
 *
 * @throws what stands in the way, when trying again later may help
 */
export async function deliverMail(mailer: Mailer, log: Log, mail: Mail, job: Job): Promise<void> {
  if (!mailer.isOn) throw new Error("mail is off");
  const giveUp = (why: string) => log.warn({ job: job.id }, `a mail was given up: ${why}`);
  try {
    const isTaken = await mailer.send(mail, job.id);
    if (!isTaken) giveUp("nobody has its address");
  } catch (error) {
    if (Date.now() - job.createdAt.getTime() < LONGEST_DAYS * 24 * 60 * 60 * 1000) throw error;
    giveUp(`no server took it for ${LONGEST_DAYS} days`);
  }
}
