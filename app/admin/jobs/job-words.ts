import type { ListedJob } from "../../outbox/jobs.server.ts";

/** `send_mail` as people read it: "Send mail". */
export function kindInWords(kind: string): string {
  const words = kind.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A state in a word, and how it sounds. */
export function stateOfJob(job: Pick<ListedJob, "doneAt" | "isRunning" | "lastError">) {
  if (job.doneAt) return { word: "Done", tone: "good" } as const;
  if (job.isRunning) return { word: "Running", tone: undefined } as const;
  return job.lastError
    ? ({ word: "Failing", tone: "bad" } as const)
    : ({ word: "Waiting", tone: "quiet" } as const);
}
