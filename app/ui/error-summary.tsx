import { Notice } from "./notice.tsx";

/** What of a Conform form its summary shows. */
export interface SummarisedForm {
  id: string;
  valid: boolean;
  errors: string[] | undefined;
  allErrors: Record<string, string[]>;
}

/**
 * Everything that is wrong with a form in one place: what concerns it as a whole, then each field's error, leading
 * there. It gets the focus from the browser itself, so that an answer without scripts begins with it too.
 */
export function ErrorSummary({ title, form }: { title: string; form: SummarisedForm }) {
  const fields = Object.entries(form.allErrors).filter(([name]) => name !== "");
  return (
    // biome-ignore lint/a11y/noAutofocus: it is there only after somebody sent the form, and is what they need next
    <div tabIndex={-1} autoFocus>
      <Notice tone="bad">
        <p className="font-semibold">{title}</p>
        {form.errors?.map((error) => (
          <p key={error}>{error}</p>
        ))}
        {fields.length > 0 && (
          <ul>
            {fields.map(([name, errors]) => (
              <li key={name}>
                <a href={`#${form.id}-${name}`} className="inline-flex items-center min-h-11">
                  {errors[0]}
                </a>
              </li>
            ))}
          </ul>
        )}
      </Notice>
    </div>
  );
}
