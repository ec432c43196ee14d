import type { ReactNode } from "react";
import { Focused } from "./focused.tsx";
import { Notice } from "./notice.tsx";
import type { useRouteForm } from "./route-form.ts";

export type SummarizedForm = ReturnType<typeof useRouteForm>["form"];

/**
 * Errors of the form, then of its fields, with links. Focused by `autofocus`, which works without scripts too.
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
  return (
    <Focused className="w-full mb-2">
      <Notice tone="bad">
        <p className="font-semibold">{title}</p>
        {general.map((error) => (
          <p key={error}>{error}</p>
        ))}
        {fields.length > 0 && (
          <ul className="list pt-2">
            {fields.map(([name, errors]) => (
              <li key={name}>
                <a href={`#${form.id}-${name}`} className="inline-flex py-2 -my-2 [overflow-wrap:anywhere]">
                  {errors[0]}
                </a>
              </li>
            ))}
          </ul>
        )}
        {props.children}
      </Notice>
    </Focused>
  );
}
