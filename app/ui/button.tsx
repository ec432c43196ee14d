import type { ReactNode } from "react";

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
 * A form's submit button. Where there are scripts it shows `pendingLabel` while the form is being sent, keeps its width and
 * ignores clicks (`script/pending.ts`).
 *
 * @param isDangerous for irreversible actions; only account pages have the style
 */
export function SubmitButton(props: {
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
  return (
    <button
      type="submit"
      name={name}
      value={value}
      className="button"
      data-quiet={isQuiet || isDangerous || undefined}
      data-dangerous={isDangerous || undefined}
      aria-label={ariaLabel}
      data-pending={pendingLabel}
    >
      <span className="col-start-1 row-start-1">{children}</span>
      <span className="col-start-1 row-start-1 invisible" aria-hidden="true">
        {pendingLabel}
      </span>
    </button>
  );
}
