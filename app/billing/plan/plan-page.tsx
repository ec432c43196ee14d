import type { ReactNode } from "react";
import { Focused } from "../../ui/focused.tsx";
import { Notice } from "../../ui/notice.tsx";
import { PageLink } from "../../ui/page-link.tsx";
import { PrivatePage } from "../../ui/private-page.tsx";
import type { NotDone } from "./plan-form.ts";

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
export function NotDoneNotice({ answer, id }: { answer: NotDone | undefined; id?: string }) {
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
