import { type ReactNode, use } from "react";
import { PageLink } from "./page-link.tsx";
import { SubmitterContext } from "./post-form.tsx";

/** @param isDangerous only account pages and the console have the style */
export function ButtonLink(props: {
  href: string;
  isQuiet?: boolean;
  isDangerous?: boolean;
  children: ReactNode;
}) {
  const { href, isQuiet, isDangerous, children } = props;
  return (
    <PageLink
      className="button"
      href={href}
      data-quiet={isQuiet || isDangerous || undefined}
      data-dangerous={isDangerous || undefined}
    >
      {children}
    </PageLink>
  );
}

const SHOWN = "col-start-1 row-start-1";
const HIDDEN = `${SHOWN} invisible`;

/** While sending, shows `pendingLabel` and keeps width and focus. @param isDangerous only account pages and the console have the style */
export function SubmitButton(props: {
  pendingLabel: string;
  isQuiet?: boolean;
  isDangerous?: boolean;
  ariaLabel?: string;
  /** For a form with several buttons. */
  name?: string;
  value?: string;
  children: ReactNode;
}) {
  const { pendingLabel, isQuiet, isDangerous, ariaLabel, name = "", value = "", children } = props;
  const sender = use(SubmitterContext);
  const isPending = sender?.name === name && sender.value === value;
  return (
    <button
      type="submit"
      name={name || undefined}
      value={value || undefined}
      className="button"
      data-quiet={isQuiet || isDangerous || undefined}
      data-dangerous={isDangerous || undefined}
      aria-label={isPending ? pendingLabel : ariaLabel}
      aria-disabled={isPending || undefined}
    >
      <span className={isPending ? HIDDEN : SHOWN}>{children}</span>
      <span className={isPending ? SHOWN : HIDDEN} aria-hidden={!isPending}>
        {pendingLabel}
      </span>
    </button>
  );
}
