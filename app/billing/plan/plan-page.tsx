import type { ReactNode } from "react";
import type { Failure } from "../../http/errors.ts";
import { Focused } from "../../ui/focused.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PrivatePage } from "../../ui/private-page.tsx";

export function PlanPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <PrivatePage title={title}>
      <h1>{title}</h1>
      {children}
    </PrivatePage>
  );
}

/** Focused when it appears, without scripts too. */
export function FailureNotice({ message, id }: { message: string | undefined; id?: string }) {
  if (message === undefined) return null;
  return (
    <Focused id={id}>
      <Notice tone="bad">{message}</Notice>
    </Focused>
  );
}

export function BackToDashboard() {
  return (
    <p>
      <PageLink href="/dashboard" className="inline-flex items-center min-h-11">
        Back to your dashboard
      </PageLink>
    </p>
  );
}

export interface FormFailure {
  message: string;
}

export function failureResponse({ message, status, headers }: Failure): [FormFailure, ResponseInit] {
  return [{ message: message.endsWith(".") ? message : `${message}.` }, { status, headers }];
}
