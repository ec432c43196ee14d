import { type ReactNode, useId } from "react";
import { Address } from "../auth/unverified-notice.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { type NavigationLink, useSite } from "../ui/site.ts";
import { changeInPercent } from "./chart/points.ts";

export function ConsolePage(props: {
  title: string;
  /** The page that lists this one. */
  above?: NavigationLink | undefined;
  actions?: ReactNode;
  children: ReactNode;
}) {
  const { title, above, actions, children } = props;
  const { product } = useSite();
  return (
    <div className="console-page">
      <title>{`${title} · ${product} console`}</title>
      <meta name="robots" content="noindex" />
      {above && (
        <nav aria-label="Breadcrumb" className="console-above">
          <PageLink href={above.href}>{above.label}</PageLink>
        </nav>
      )}
      <div className="flex flex-wrap gap-x-6 gap-y-3 justify-between items-center">
        <h1>{title}</h1>
        {actions}
      </div>
      {children}
    </div>
  );
}

export function ConsolePart({ id, title, children }: { id: string; title: string; children: ReactNode }) {
  return (
    <section aria-labelledby={id} className="console-part">
      <h2 id={id}>{title}</h2>
      {children}
    </section>
  );
}

/** The page refreshes itself, without a script. @param words the start of a sentence about the progress */
export function Progress(props: { title: string; words: string; value: number; max: number }) {
  const { title, words, value, max } = props;
  return (
    <ConsolePart id="progress" title={title}>
      <meta httpEquiv="refresh" content="2" />
      <p id="words">{words}. This page looks again every two seconds. You can leave it: the work goes on.</p>
      <progress value={value} max={max} aria-labelledby="words" />
    </ConsolePart>
  );
}

/** A fact, or a falsy value where there is none. */
export type MaybeFact = [name: string, value: ReactNode] | "" | 0 | false | null | undefined;

export function Facts({ facts }: { facts: readonly MaybeFact[] }) {
  return (
    <dl className="console-facts">
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** The few numbers that are looked for, each with a line on how it stands. */
export function Figures({
  figures,
}: {
  figures: readonly [name: string, value: ReactNode, note?: ReactNode][];
}) {
  return (
    <dl className="console-figures">
      {figures.map(([name, value, note]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
          {note && <dd>{note}</dd>}
        </div>
      ))}
    </dl>
  );
}

/** "▲ up 12% from 3,546", or "▲ up 12% · 4 weeks ago: 3,546". @param than says of when, or of what, `before` is @param isNeutral where neither way is good or bad */
export function Trend(props: {
  value: number;
  before: number | undefined;
  format?: (value: number) => string;
  than?: string;
  isNeutral?: boolean;
}) {
  const { value, before, format = formatCount, than = "", isNeutral = false } = props;
  if (before === undefined) return null;
  return (
    <>
      <Change value={value} before={before} isNeutral={isNeutral} />
      {than ? ` · ${than}: ${format(before)}` : ` from ${format(before)}`}
    </>
  );
}

/** "▲ up 12%" */
export function Change(props: { value: number; before: number; isNeutral?: boolean }) {
  const { value, before, isNeutral } = props;
  if (value === before) return <State word="no change" tone="quiet" />;
  const isUp = value > before;
  const word = [isUp ? "▲ up" : "▼ down", changeInPercent(value, before)].filter(Boolean).join(" ");
  return <State word={word} tone={isNeutral ? undefined : isUp ? "good" : "bad"} />;
}

/** What is done here and, beside it where there is room, what to know of it. @param isFirst above it on a phone */
export function Beside(props: { title: string; aside: ReactNode; isFirst?: boolean; children: ReactNode }) {
  const { title, aside, isFirst, children } = props;
  const id = useId();
  return (
    <div className="console-beside" data-first={isFirst}>
      <div>{children}</div>
      <aside aria-labelledby={id}>
        <h2 id={id}>{title}</h2>
        {aside}
      </aside>
    </div>
  );
}

export interface StateProps {
  word: string;
  tone?: "good" | "bad" | "quiet" | undefined;
}

export function State({ word, tone }: StateProps) {
  return (
    <span className="state" data-tone={tone}>
      {word}
    </span>
  );
}

export function formatCount(value: number): string {
  return value.toLocaleString("en-US");
}

/** To the minute, or the day, and in UTC, to compare with logs and with Stripe. */
export function Moment({ instant, isDay = false }: { instant: Date | null; isDay?: boolean }) {
  if (!instant) return <span className="text-quiet">–</span>;
  const iso = instant.toISOString();
  return (
    <time dateTime={iso} title={`${iso.slice(0, 19).replace("T", " ")} UTC`} className="whitespace-nowrap">
      {iso.slice(0, 10)}
      {!isDay && ` ${iso.slice(11, 16)}`}
    </time>
  );
}

/** Leads to all that has this address. */
export function EmailLink({ email }: { email: string }) {
  return (
    <PageLink href={`/admin/search?${new URLSearchParams({ q: email })}`}>
      <Address email={email} />
    </PageLink>
  );
}

export function NotThere({ title, list }: { title: string; list: NavigationLink }) {
  return (
    <ConsolePage title={title} above={list}>
      <p>There is nothing at this address. It may have been deleted.</p>
    </ConsolePage>
  );
}
