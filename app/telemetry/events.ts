import type { EVENTS } from "./metrics.ts";

export type EventName = (typeof EVENTS)[number];

/** With ids only: no address, name or code. */
export interface BusinessEvent {
  event: EventName;
  [id: `${string}Id`]: string;
}

export interface NotesEvents {
  noted?: Pick<BusinessEvent[], "push">;
  /** A type with nothing but optional parts would take neither a database nor a transaction. */
  execute: unknown;
}

/** Told once the transaction commits. */
export function noteEvent(tx: NotesEvents, event: BusinessEvent): void {
  tx.noted?.push(event);
}
