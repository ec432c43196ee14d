import type { FetcherWithComponents } from "react-router";
import { SubmitButton } from "../../ui/button.tsx";
import { PostForm } from "../../ui/post-form.tsx";

/** Removes a second factor: two presses, with what it means in between. */
export function RemoveFactor(props: {
  what: string;
  fields: Record<string, string>;
  whatEnds: string;
  fetcher: FetcherWithComponents<unknown>;
}) {
  const { what, fields, whatEnds, fetcher } = props;
  return (
    <details className="remove-factor">
      <summary className="min-h-11">
        Remove <span className="sr-only">{what}</span>
      </summary>
      <PostForm fetcher={fetcher} className="grid gap-3 justify-items-start py-2">
        <p>{whatEnds}</p>
        {Object.entries(fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <SubmitButton isDangerous pendingLabel="Removing…">
          Remove it <span className="sr-only">: {what}</span>
        </SubmitButton>
      </PostForm>
    </details>
  );
}
