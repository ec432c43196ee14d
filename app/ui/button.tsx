import { type ReactNode, useRef } from "react";
import { useIsLeaving } from "./leaving-form.ts";

/** A link styled as a button, for the next step. `isQuiet`: for secondary ones. */
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
 * A form's submit button. While the form is being sent it shows `pendingLabel`, keeps its width and ignores clicks. It is
 * never `disabled`, which would lose the focus.
 *
 * @param isPending for forms sent by fetch; a form that loads a document is detected by the button itself
 * @param isDangerous for irreversible actions; only account pages have the style
 */
export function SubmitButton(props: {
  isPending?: boolean;
  pendingLabel: string;
  isQuiet?: boolean;
  isDangerous?: boolean;
  ariaLabel?: string;
  /** What the form is sent with when it is sent by this button, for a form with several. */
  name?: string;
  value?: string;
  children: ReactNode;
}) {
  const { pendingLabel, isQuiet, isDangerous, ariaLabel, name, value, children } = props;
  const button = useRef<HTMLButtonElement>(null);
  const isLeaving = useIsLeaving(button);
  const isPending = props.isPending || isLeaving;
  return (
    <button
      ref={button}
      type="submit"
      name={name}
      value={value}
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
