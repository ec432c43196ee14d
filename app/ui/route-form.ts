import { type DefaultValue, getFormProps, type SubmissionResult, useForm } from "@conform-to/react";
import { getZodConstraint, parseWithZod } from "@conform-to/zod/v4";
import { useNavigation } from "react-router";
import type { z } from "zod";
import { COULD_NOT_REACH, whenOffline } from "./when-offline.ts";

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
  /** Judge fields that were wrong anew at every key, rather than when the form is sent again. */
  shouldRevalidate?: "onInput";
}

/**
 * A form that posts to its route: judged by one schema in the browser and on the server, and working without scripts.
 *
 * @param answer the route's action data
 */
export function useRouteForm<Schema extends FormSchema>(
  schema: Schema,
  answer: FormAnswer | undefined,
  options: RouteFormOptions<Schema> = {},
) {
  const isPending = useNavigation().state !== "idle";
  const [form, fields] = useForm<z.input<Schema>, z.output<Schema>>({
    ...options,
    lastResult: isPending ? null : answer,
    constraint: getZodConstraint(schema),
    onValidate: ({ formData }) => parseWithZod(formData, { schema }),
  });
  return { form, fields, formProps: { method: "post" as const, ...getFormProps(form) }, isPending };
}

/** The `clientAction` of a form's route: what was typed stays there when the network fails. */
export function sendForm({ serverAction }: { serverAction: () => Promise<FormAnswer | undefined> }) {
  return whenOffline<FormAnswer | undefined>(serverAction, {
    status: "error",
    error: { "": [COULD_NOT_REACH] },
  });
}
