import type { Retry } from "../../outbox/jobs.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { PostForm } from "../../ui/post-form.tsx";

/** What came of a press, by the `said` in the query. */
const NEWS = new Map<string | null, { tone: "good" | "plain"; text: string }>(
  Object.entries({
    due: { tone: "good", text: "It is tried now. Reload this page in a moment to see what came of it." },
    running: { tone: "plain", text: "It is being tried at this moment, so nothing was changed." },
    done: { tone: "plain", text: "It is done already, so nothing was changed." },
    unknown: { tone: "plain", text: "There is no such job any more. Nothing was changed." },
  } satisfies Record<Retry, { tone: "good" | "plain"; text: string }>),
);

export function newsOfTry(search: URLSearchParams) {
  return NEWS.get(search.get("said")) ?? null;
}

/** Has a job tried now. Its page's action is `tryNow`. */
export function TryNow({ job }: { job: string }) {
  return (
    <PostForm>
      <input type="hidden" name="job" value={job} />
      <SubmitButton isQuiet pendingLabel="Trying…">
        Try now <span className="sr-only">job {job}</span>
      </SubmitButton>
    </PostForm>
  );
}
