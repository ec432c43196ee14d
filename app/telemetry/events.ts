import type { EVENTS } from "./metrics.ts";

export type EventName = (typeof EVENTS)[number];

/** Something that happened to the business, with the ids of those it happened to: no address, name or code. */
export interface BusinessEvent {
  event: EventName;
  [id: `${string}Id`]: string;
}

/** A database or a transaction, with what is to be told once it has been committed. */
export interface NotesEvents {
  noted?: Pick<BusinessEvent[], "push">;
  /** Both have it, and a type with nothing but optional parts would take neither. */
  execute: unknown;
}

/** Says that something has happened, once the transaction commits. Of one that does not commit nothing is told. */
export function noteEvent(tx: NotesEvents, event: BusinessEvent): void {
  tx.noted?.push(event);
}
