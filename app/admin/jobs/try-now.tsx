import type { Retry } from "../../outbox/jobs.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import type { News } from "../../ui/route-handle.ts";
import { newsOfSelected, type Outcome } from "../lists/outcomes.ts";
import type { Selection } from "../lists/selection.tsx";
import { useFormFetcher } from "../status.tsx";

/** What came of a press, by the `said` in the query. */
const NEWS = new Map<string, News>(
  Object.entries({
    due: { tone: "good", text: "It is tried now. Reload this page in a moment to see what came of it." },
    running: { tone: "plain", text: "It is being tried at this moment, so nothing was changed." },
    done: { tone: "plain", text: "It is done already, so nothing was changed." },
    unknown: { tone: "plain", text: "There is no such job any more. Nothing was changed." },
  } satisfies Record<Retry, News>),
);

/** The same of several jobs. */
const OUTCOMES: Record<Retry, Outcome> = {
  due: { words: "tried again", isChange: true },
  running: { words: "being tried at this moment" },
  done: { words: "done already" },
  unknown: { words: "no longer there" },
};

/** What a page with `tryNow` as its action says of a press. */
export const newsOfTry = (said: string) => NEWS.get(said) ?? newsOfSelected(said, OUTCOMES);

/** For a list whose rows are jobs. */
export const TRY_SELECTED: Pick<Selection<unknown>, "buttons"> = {
  buttons: [{ press: "retry", label: "Try again", pendingLabel: "Trying…" }],
};

/** Has a job tried now. Its page's action is `tryNow`. */
export function TryNow({ job }: { job: string }) {
  return (
    <PostForm fetcher={useFormFetcher()} preventScrollReset>
      <input type="hidden" name="job" value={job} />
      <SubmitButton isQuiet pendingLabel="Trying…">
        Try now <span className="sr-only">job {job}</span>
      </SubmitButton>
    </PostForm>
  );
}
