import type { ReactNode } from "react";

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
 */
export function SubmitButton(props: {
  isPending?: boolean;
  pendingLabel: string;
  isQuiet?: boolean;
  ariaLabel?: string;
  children: ReactNode;
}) {
  const { isPending = false, pendingLabel, isQuiet, ariaLabel, children } = props;
  return (
    <button
      type="submit"
      className="button"
      data-quiet={isQuiet || undefined}
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
