import { Form, useLocation } from "react-router";
import { PageLink } from "../ui/page-link.tsx";
import type { ConsoleFrame } from "../ui/route-handle.ts";
import { useShortcut } from "../ui/shortcut.ts";
import type { NavigationLink, Site } from "../ui/site.ts";
import { useFieldsOf } from "../ui/use-fields-of.ts";
import { Wordmark } from "../ui/wordmark.tsx";
import { useCurrentInView } from "./use-current-in-view.ts";

interface Section extends NavigationLink {
  alsoAt?: readonly string[];
  /** What waits there, and in words that follow its count. */
  work?: readonly [keyof ConsoleFrame["openWork"], words: string];
}

/** What may wait for an operator comes first: a phone shows the first four or five. */
const SECTIONS: Section[] = [
  { href: "/admin", label: "Overview" },
  { href: "/admin/people", label: "People" },
  { href: "/admin/messages", label: "Messages", work: ["unansweredMessages", "unanswered"] },
  { href: "/admin/mail", label: "Mail", work: ["undeliveredMails", "not delivered"] },
  { href: "/admin/jobs", label: "Jobs", work: ["failingJobs", "failing"] },
  { href: "/admin/codes", label: "Promo codes", alsoAt: ["/admin/new-code", "/admin/batches"] },
  { href: "/admin/waitlist", label: "Waitlist" },
  { href: "/admin/funnel", label: "Funnel" },
  { href: "/admin/plans", label: "Plans" },
  { href: "/admin/features", label: "Features" },
  { href: "/admin/changelog", label: "Changelog" },
  { href: "/admin/log", label: "Audit log" },
];

export function ConsoleHeader({ site, operator, openWork }: ConsoleFrame & { site: Site }) {
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
              placeholder="Email, name, code or ID"
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
        <OperatorLine operator={operator} />
      </div>
      <nav aria-label="Console" className="console-nav">
        <ul ref={sections} className="console-sections console-row">
          {SECTIONS.map((section) => (
            <li key={section.href}>
              <PageLink href={section.href} aria-current={currentOf(section, pathname)}>
                {section.label}
                {section.work && <Pill count={openWork[section.work[0]]} words={section.work[1]} />}
              </PageLink>
            </li>
          ))}
        </ul>
      </nav>
    </header>
  );
}

export function OperatorLine({ operator }: Pick<ConsoleFrame, "operator">) {
  return (
    <p className="console-operator">
      <span>{operator}</span>
      <PageLink href="/dashboard">Leave the console</PageLink>
    </p>
  );
}

function Pill({ count, words }: { count: number; words: string }) {
  if (count === 0) return null;
  return (
    <>
      {" "}
      <span className="console-pill">
        {count > 99 ? "99+" : count}
        <span className="sr-only"> {words}</span>
      </span>
    </>
  );
}

function currentOf({ href, alsoAt = [] }: Section, pathname: string): "page" | true | undefined {
  if (pathname === href) return "page";
  const isBelow = [href, ...alsoAt].some((path) => pathname === path || pathname.startsWith(`${path}/`));
  return (href !== "/admin" && isBelow) || undefined;
}
