import { type ReactNode, useRef } from "react";
import { useIsLeaving } from "./leaving-form.ts";

/** A link that looks like what it is: the next step. Quiet ones stand beside it. */
export function ButtonLink({
  href,
  isQuiet,
  children,
}: {
  href: string;
  isQuiet?: boolean;
  children: ReactNode;
}) {
  return (
    <a className="button" href={href} data-quiet={isQuiet || undefined}>
      {children}
    </a>
  );
}

/**
 * A form's button. While the form is under way it says so, keeps its width, and pressing it again does nothing;
 * it is never `disabled`, which would drop the focus.
 *
 * @param isPending for a form that is sent without loading a document; of one that loads it, the button knows by itself
 * @param isDangerous of what cannot be taken back; account pages alone have the look for it
 */
export function SubmitButton(props: {
  isPending?: boolean;
  pendingLabel: string;
  isQuiet?: boolean;
  isDangerous?: boolean;
  ariaLabel?: string;
  children: ReactNode;
}) {
  const { pendingLabel, isQuiet, isDangerous, ariaLabel, children } = props;
  const button = useRef<HTMLButtonElement>(null);
  const isLeaving = useIsLeaving(button);
  const isPending = props.isPending || isLeaving;
  return (
    <button
      ref={button}
      type="submit"
      className="button"
      data-quiet={isQuiet || isDangerous || undefined}
      data-dangerous={isDangerous || undefined}
      aria-disabled={isPending}
      aria-label={isPending ? pendingLabel : ariaLabel}
      onClick={(event) => isPending && event.preventDefault()}
    >
      <span className={`col-start-1 row-start-1 ${isPending ? "invisible" : ""}`}>{children}</span>
      <span className={`col-start-1 row-start-1 ${isPending ? "" : "invisible"}`} aria-hidden={!isPending}>
        {pendingLabel}
      </span>
    </button>
  );
}
