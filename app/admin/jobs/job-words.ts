import type { ListedJob } from "../../outbox/jobs.server.ts";
import type { StateProps } from "../console-page.tsx";

export function kindInWords(kind: string): string {
  const words = kind.replaceAll("_", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function stateOfJob(job: Pick<ListedJob, "doneAt" | "isRunning" | "lastError">): StateProps {
  if (job.doneAt) return { word: "Done", tone: "good" };
  if (job.isRunning) return { word: "Running" };
  return job.lastError ? { word: "Failing", tone: "bad" } : { word: "Waiting", tone: "quiet" };
}
