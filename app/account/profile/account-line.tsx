import type { ReactNode } from "react";

/** One of the parts of the account page. */
export function AccountSection({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section className="grid gap-5 border-t-2 border-ink pt-5" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** A fact about the account, and where to change it. */
export function AccountLine({
  name,
  action,
  children,
}: {
  name: string;
  action: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="account-line">
      <dt>{name}</dt>
      <dd>{children}</dd>
      <dd>{action}</dd>
    </div>
  );
}

export function ChangeLink({ verb = "Change", href, what }: { verb?: string; href: string; what: string }) {
  return (
    <LineLink href={href}>
      {verb} <span className="sr-only">{what}</span>
    </LineLink>
  );
}

export function LineLink({ href, children }: { href: string; children: ReactNode }) {
  return (
    <a href={href} className="inline-flex items-center min-h-11">
      {children}
    </a>
  );
}
