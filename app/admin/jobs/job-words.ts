import type { ListedJob } from "../../outbox/jobs.server.ts";
import { capitalize } from "../capitalize.ts";
import type { StateProps } from "../console-page.tsx";

export function kindInWords(kind: string): string {
  return capitalize(kind.replaceAll("_", " "));
}

/** The server could not be reached, whoever the mail is to. @param error of a job that sends mail */
export function isMailServerError(error: string): boolean {
  return /ECONNREFUSED|ETIMEDOUT|EHOSTUNREACH|ENOTFOUND|EAI_AGAIN/.test(error);
}

/** In plain words first, where they are known. */
export function errorInWords(kind: string, error: string): string {
  return kind === "send_mail" && isMailServerError(error)
    ? `The mail server isn’t answering: ${error}`
    : error;
}

export function stateOfJob(
  job: Pick<ListedJob, "doneAt" | "isRunning" | "isScheduled" | "lastError">,
): StateProps {
  if (job.doneAt) return { word: "Done", tone: "good" };
  if (job.isRunning) return { word: "Running" };
  if (job.isScheduled) return { word: "Scheduled", tone: "quiet" };
  return job.lastError ? { word: "Failing", tone: "bad" } : { word: "Waiting", tone: "quiet" };
}
