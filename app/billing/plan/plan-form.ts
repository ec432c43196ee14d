import type { Failure } from "../../http/errors.ts";

/** What an action of these pages answers when nothing was done. */
export interface NotDone {
  message: string;
}

/** The parts of a failed answer: its data, and its status and headers. */
export function notDone({ message, status, headers }: Failure): [NotDone, ResponseInit] {
  return [{ message: message.endsWith(".") ? message : `${message}.` }, { status, headers }];
}
