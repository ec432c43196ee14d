import type { ReactNode } from "react";
import type { Failure } from "../../http/errors.ts";
import { Focused } from "../../ui/focused.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PrivatePage } from "../../ui/private-page.tsx";

/** The frame of the pages below /subscription. */
export function PlanPage({ title, children }: { title: string; children: ReactNode }) {
  return (
    <PrivatePage title={title}>
      <h1>{title}</h1>
      {children}
    </PrivatePage>
  );
}

/** Why nothing was done. Focused when it appears, without scripts too. */
export function FailureNotice({ answer, id }: { answer: FormFailure | undefined; id?: string }) {
  if (!answer) return null;
  return (
    <Focused id={id} className="w-full">
      <Notice tone="bad">{answer.message}</Notice>
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

/** The answer of these pages' actions when nothing was done. */
export interface FormFailure {
  message: string;
}

/** The parts of a failed answer: its data, and its status and headers. */
export function failureResponse({ message, status, headers }: Failure): [FormFailure, ResponseInit] {
  return [{ message: message.endsWith(".") ? message : `${message}.` }, { status, headers }];
}
