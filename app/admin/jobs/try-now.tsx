import type { Retry } from "../../outbox/jobs.server.ts";
import { SubmitButton } from "../../ui/button.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { type Flashes, flashIn, flashOfSelected, type Outcome } from "../flash.ts";
import type { Selection } from "../lists/selection.tsx";
import { useFormFetcher } from "../status.tsx";

const FLASHES: Record<Retry, Flashes[string]> = {
  due: ["good", "It is tried now. Reload this page in a moment to see what came of it."],
  running: ["plain", "It is being tried at this moment, so nothing was changed."],
  done: ["plain", "It is done already, so nothing was changed."],
  unknown: ["plain", "There is no such job any more. Nothing was changed."],
};

const OUTCOMES: Record<Retry, Outcome> = {
  due: { words: "tried again", isChange: true },
  running: { words: "being tried at this moment" },
  done: { words: "done already" },
  unknown: { words: "no longer there" },
};

export const flashOfTry = (said: string) => flashIn(FLASHES)(said) ?? flashOfSelected(said, OUTCOMES);

export const TRY_SELECTED: Pick<Selection<unknown>, "buttons"> = {
  buttons: [{ press: "retry", label: "Try again", pendingLabel: "Trying…" }],
};

/** Its page's action is `tryNow`. */
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
