import { Notice } from "./notice.tsx";

/** The parts of a Conform form that its summary needs. */
export interface SummarisedForm {
  id: string;
  valid: boolean;
  errors: string[] | undefined;
  allErrors: Record<string, string[]>;
}

/**
 * All errors of a form: those of the form as a whole, then those of its fields, with links to them. Focused by
 * `autofocus`, which works without scripts too.
 */
export function ErrorSummary({ title, form }: { title: string; form: SummarisedForm }) {
  const fields = Object.entries(form.allErrors).filter(([name]) => name !== "");
  return (
    // biome-ignore lint/a11y/noAutofocus: rendered only after the form was submitted, and is what the user needs next
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
