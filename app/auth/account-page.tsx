import { type ReactNode, useEffect, useRef } from "react";
import { type FetcherWithComponents, useFetcher } from "react-router";
import { AccountLine, type LineProps } from "../ui/account-line.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { PrivatePage } from "../ui/private-page.tsx";

const PATHS = { "your account": "/account", "two-step login": "/account/second-factor" };

/** @param props.back `null`: the page has its own way on */
export function AccountPage(props: { title: string; back?: keyof typeof PATHS | null; children: ReactNode }) {
  const { title, back = "your account", children } = props;
  return (
    <PrivatePage title={title}>
      <h1>{title}</h1>
      {children}
      {back && (
        <PageLink href={PATHS[back]} className="inline-flex items-center min-h-11">
          {`Back to ${back}`}
        </PageLink>
      )}
    </PrivatePage>
  );
}

interface RemovableLineProps extends Pick<LineProps, "name" | "facts"> {
  children: (fetcher: FetcherWithComponents<{ message: string }>) => ReactNode;
}

/** Disappears as soon as its form is sent, and comes back with the reason if that is refused. */
export function RemovableLine({ name, facts, children }: RemovableLineProps) {
  const fetcher = useFetcher<{ message: string }>();
  const line = useRef<HTMLDivElement>(null);
  const isGone = fetcher.formData !== undefined;
  const whyBack = isGone ? undefined : fetcher.data?.message;
  useEffect(() => {
    if (whyBack) line.current?.focus();
  }, [whyBack]);
  const factsAndReason = (
    <>
      {facts}
      {whyBack && (
        <p role="alert" className="text-coral font-semibold">
          {whyBack}
        </p>
      )}
    </>
  );
  return (
    <AccountLine
      ref={line}
      name={name}
      facts={factsAndReason}
      hidden={isGone}
      tabIndex={whyBack ? -1 : undefined}
    >
      {children(fetcher)}
    </AccountLine>
  );
}
