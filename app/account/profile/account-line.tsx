import type { ReactNode } from "react";
import { PageLink } from "../../ui/page-link.tsx";

/** A fact about the account, and the link to where it is changed. `what`: what is changed, for screen readers. */
export function AccountLine(props: {
  name: string;
  href: string;
  verb: string;
  what?: string;
  children: ReactNode;
}) {
  const { name, href, verb, what, children } = props;
  return (
    <div className="account-line">
      <dt>{name}</dt>
      <dd>{children}</dd>
      <dd>
        <PageLink href={href} className="inline-flex items-center min-h-11">
          {verb}
          {what && (
            <>
              {" "}
              <span className="sr-only">{what}</span>
            </>
          )}
        </PageLink>
      </dd>
    </div>
  );
}
