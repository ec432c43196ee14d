import { type DefaultValue, getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { getZodConstraint } from "@conform-to/zod/v4";
import { use } from "react";
import type { z } from "zod";
import { RenderContext } from "./render-context.ts";

/** What an action answers when its form is to be shown again. */
export type FormAnswer = SubmissionResult<string[]> & {
  /** How long sending it again is of no use. */
  retryAfterSeconds?: number;
};

type FormSchema = z.ZodType<Record<string, unknown>, Record<string, unknown>>;

interface RouteFormOptions<Schema extends FormSchema> {
  /** The prefix of its fields' ids; by default one React makes up. */
  id?: string;
  defaultValue?: DefaultValue<z.input<Schema>>;
}

/**
 * A form that posts to its route. Its schema judges it on the server alone: browsers know its constraints, and show the
 * server's words, with and without scripts.
 *
 * @param answer the route's action data
 */
export function useRouteForm<Schema extends FormSchema>(
  schema: Schema,
  answer: FormAnswer | undefined,
  options: RouteFormOptions<Schema> = {},
) {
  const { typed } = use(RenderContext);
  const [form, fields] = useForm<z.input<Schema>, z.output<Schema>>({
    ...options,
    defaultValue: { ...options.defaultValue, ...typed } as DefaultValue<z.input<Schema>>,
    lastResult: answer,
    constraint: getZodConstraint(schema),
  });
  return { form, fields, formProps: { method: "post" as const, ...getFormProps(form) } };
}
