import type { ReactNode } from "react";
import { Focused } from "./focused.tsx";
import { Notice } from "./notice.tsx";
import type { useRouteForm } from "./route-form.ts";

export type SummarizedForm = ReturnType<typeof useRouteForm>["form"];

/**
 * Errors of the form, then of its fields, with links. A single mistake is described at its field only. Focused by `autofocus`, which
 * works without scripts too.
 * @param props.hiddenFields their errors are said here, without a link
 */
export function ErrorSummary(props: {
  title: string;
  form: SummarizedForm;
  hiddenFields?: readonly string[];
  children?: ReactNode;
}) {
  const { title, form, hiddenFields = [] } = props;
  const errors = Object.entries(form.allErrors).filter(([name]) => name !== "");
  const fields = errors.filter(([name]) => !hiddenFields.includes(name));
  const general = [
    ...(form.errors ?? []),
    ...errors.filter((error) => !fields.includes(error)).flatMap(([, messages]) => messages.slice(0, 1)),
  ];
  const [only, ...others] = general.length > 0 ? [] : fields;
  const isSingle = only !== undefined && others.length === 0;
  return (
    <Focused className="w-full mb-2">
      <Notice tone="bad">
        <p className="font-semibold">
          {isSingle ? <FieldLink form={form} name={only[0]} text={title} /> : title}
        </p>
        {general.map((error) => (
          <p key={error}>{error}</p>
        ))}
        {fields.length > 0 && !isSingle && (
          <ul className="list pt-2">
            {fields.map(([name, errors]) => (
              <li key={name}>
                <FieldLink form={form} name={name} text={errors[0]} />
              </li>
            ))}
          </ul>
        )}
        {props.children}
      </Notice>
    </Focused>
  );
}

function FieldLink({ form, name, text }: { form: SummarizedForm; name: string; text: string | undefined }) {
  return (
    <a href={`#${form.id}-${name}`} className="inline-flex py-2 -my-2">
      {text}
    </a>
  );
}
