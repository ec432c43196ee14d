import type { ReactNode } from "react";
import { PageLink } from "../ui/page-link.tsx";
import type { NavigationLink } from "../ui/site.ts";
import { useSite } from "../ui/site.ts";

/**
 * The frame of every page of the console.
 *
 * @param above where it belongs, as links that lead back up
 * @param actions what can be done here, beside the heading
 */
export function ConsolePage(props: {
  title: string;
  above?: readonly NavigationLink[];
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { title, above = [], actions, children } = props;
  const { product } = useSite();
  return (
    <div className="console-page">
      <title>{`${title} · ${product} console`}</title>
      <meta name="robots" content="noindex" />
      {above.length > 0 && (
        <nav aria-label="Breadcrumb" className="console-above">
          {above.map(({ href, label }) => (
            <PageLink key={href} href={href}>
              {label}
            </PageLink>
          ))}
        </nav>
      )}
      <div className="console-heading">
        <h1>{title}</h1>
        {actions}
      </div>
      {children}
    </div>
  );
}

/** A part of a page under a heading of its own. */
export function ConsolePart({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="console-part">
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** Names and values in two columns. */
export function Facts({ facts }: { facts: readonly [name: string, value: ReactNode][] }) {
  return (
    <dl className="console-facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
