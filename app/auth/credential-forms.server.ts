import type { RouterContextProvider } from "react-router";
import { z } from "zod";
import { fromContext } from "../http/context.server.ts";
import { readTimeZone } from "../ui/time-zone.ts";
import { PASSWORD_LENGTH, WRONG_PASSWORD } from "./credentials.ts";

const TOO_LONG = `Choose a password of at most ${PASSWORD_LENGTH.max} characters`;

/** A new password, judged by its length alone: in characters as people see them, not in UTF-16. */
export const newPassword = z
  .string({ error: "Choose a password" })
  // In UTF-16 first, where a character has at most two units. Not as `max`: browsers would cut what is pasted.
  .refine((password) => password.length <= 2 * PASSWORD_LENGTH.max, { error: TOO_LONG, abort: true })
  .refine(
    (password) => lengthOf(password) >= PASSWORD_LENGTH.min,
    `Choose a password of at least ${PASSWORD_LENGTH.min} characters`,
  )
  .refine((password) => lengthOf(password) <= PASSWORD_LENGTH.max, TOO_LONG);

/** No longer than safePath takes. */
export const returnPath = z.string().max(2000).catch("").optional();

/** What the script fills in; without it there is none. */
export const timeZoneName = z.string().max(64).transform(readTimeZone).catch(null).optional();

/** The password an account has, by its length alone. */
export const currentPassword = z.string({ error: "Enter your password" }).max(1000, WRONG_PASSWORD);

/** Where a page leads next, by `return_to` in its address: a path of this site, or the fallback. */
export function returnToOf(
  { request, context }: { request: Request; context: Readonly<RouterContextProvider> },
  fallback: string,
): string {
  const { app } = fromContext(context);
  return app.safePath(new URL(request.url).searchParams.get("return_to"), fallback);
}

function lengthOf(password: string): number {
  return [...password].length;
}
