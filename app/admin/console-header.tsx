import { Form, useLocation } from "react-router";
import { PageLink } from "../ui/page-link.tsx";
import { useShortcut } from "../ui/shortcut.ts";
import type { NavigationLink, Site } from "../ui/site.ts";
import { useFieldsOf } from "../ui/use-fields-of.ts";
import { Wordmark } from "../ui/wordmark.tsx";
import { useCurrentInView } from "./use-current-in-view.ts";

interface Section extends NavigationLink {
  alsoAt?: readonly string[];
}

/** In the order of a day's work. */
const SECTIONS: Section[] = [
  { href: "/admin", label: "Overview" },
  { href: "/admin/funnel", label: "Funnel" },
  { href: "/admin/people", label: "People" },
  { href: "/admin/codes", label: "Promo codes", alsoAt: ["/admin/new-code", "/admin/batches"] },
  { href: "/admin/waitlist", label: "Waitlist" },
  { href: "/admin/messages", label: "Messages" },
  { href: "/admin/mail", label: "Mail" },
  { href: "/admin/jobs", label: "Jobs" },
  { href: "/admin/plans", label: "Plans" },
  { href: "/admin/features", label: "Features" },
  { href: "/admin/changelog", label: "Changelog" },
  { href: "/admin/log", label: "Audit log" },
];

export function ConsoleHeader({ site, operator }: { site: Site; operator: string }) {
  const { pathname, search } = useLocation();
  const form = useFieldsOf(pathname + search);
  const shortcut = useShortcut();
  const sections = useCurrentInView<HTMLUListElement>();
  return (
    <header className="console-header">
      <div className="console-bar">
        <PageLink href="/admin" className="console-brand">
          <span className="label py-[0.42em] leading-none">
            <Wordmark product={site.product} />
          </span>
          <span>Console</span>
        </PageLink>
        <Form ref={form} action="/admin/search" className="console-search">
          <label htmlFor="search" className="sr-only">
            Search
          </label>
          <span>
            <input
              id="search"
              name="q"
              type="search"
              className="field-input min-w-0"
              placeholder="Email, name, code, Stripe id…"
              maxLength={254}
              autoComplete="off"
              aria-keyshortcuts={shortcut?.keys}
              defaultValue={pathname === "/admin/search" ? (new URLSearchParams(search).get("q") ?? "") : ""}
            />
            {shortcut && <kbd>{shortcut.label}</kbd>}
          </span>
          <button type="submit" className="button" data-quiet="">
            Search
          </button>
        </Form>
        <p className="console-operator">
          <span>{operator}</span>
          <PageLink href="/dashboard">Leave the console</PageLink>
        </p>
      </div>
      <nav aria-label="Console" className="console-nav">
        <ul ref={sections} className="console-sections console-row">
          {SECTIONS.map((section) => (
            <li key={section.href}>
              <PageLink href={section.href} aria-current={currentOf(section, pathname)}>
                {section.label}
              </PageLink>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  );
}

function currentOf({ href, alsoAt = [] }: Section, pathname: string): "page" | true | undefined {
  if (pathname === href) return "page";
  const isBelow = [href, ...alsoAt].some((path) => pathname === path || pathname.startsWith(`${path}/`));
  return (href !== "/admin" && isBelow) || undefined;
}
