import type { SubmissionResult } from "@conform-to/dom";
import { useId } from "react";
import { useRouteLoaderData } from "react-router";
import type { z } from "zod";
import type { RootData } from "./site.ts";

export type FormAnswer = SubmissionResult<string[]> & {
  /** How long sending it again is of no use. */
  retryAfterSeconds?: number;
};

export interface FormField {
  id: string;
  name: string;
  /** What was sent, or else the default. A checked box has "on". */
  initialValue: string | undefined;
  errors: string[] | undefined;
  errorId: string;
  descriptionId: string;
}

type Names<Schema> = Schema extends z.ZodType<unknown, infer Input> ? keyof Input & string : string;
type Default = string | boolean | null | undefined;

/**
 * Its schema, of which only the type is known here, validates on the server only, so that messages appear with or without JavaScript.
 * @param options.id the prefix of its fields' ids; by default generated
 */
export function useRouteForm<Schema extends z.ZodType>(
  answer: FormAnswer | undefined,
  options: { id?: string; defaultValue?: Partial<Record<Names<Schema>, Default>> } = {},
) {
  const ownId = useId();
  const { id = ownId, defaultValue } = options;
  const typed = useTyped();
  const { "": formErrors, ...fieldErrors } = errorsOf(answer);
  // Fields sent empty are missing from the answer, and stay empty.
  const initial: Record<string, unknown> = answer?.initialValue ?? { ...defaultValue, ...typed };
  const fieldOf = (name: string): FormField => ({
    id: `${id}-${name}`,
    name,
    initialValue: initial[name] === true ? "on" : initial[name] ? String(initial[name]) : undefined,
    errors: fieldErrors[name],
    errorId: `${id}-${name}-error`,
    descriptionId: `${id}-${name}-description`,
  });
  return {
    form: {
      id,
      errors: formErrors,
      allErrors: fieldErrors,
      valid: answer?.status !== "error",
    },
    fields: new Proxy({} as Record<Names<Schema>, FormField>, {
      get: (_fields, name) => fieldOf(String(name)),
    }),
    formProps: { method: "post" as const, id, noValidate: true },
  };
}

function errorsOf(answer: FormAnswer | undefined): Record<string, string[]> {
  const errors = Object.entries(answer?.error ?? {});
  return Object.fromEntries(
    errors.flatMap(([name, messages]) => (messages?.length ? [[name, messages]] : [])),
  );
}

/** What was typed when this page was another account's, by field name. */
export function useTyped(): Record<string, string> | undefined {
  return useRouteLoaderData<RootData>("root")?.typed;
}
