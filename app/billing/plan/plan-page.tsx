import type { ReactNode } from "react";
import { Notice } from "../../ui/notice.tsx";
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
    // biome-ignore lint/a11y/noAutofocus: rendered only after a form was sent, and is what its sender needs next
    <div tabIndex={-1} autoFocus id={id} className="w-full">
      <Notice tone="bad">{answer.message}</Notice>
    </div>
  );
}

export function BackToDashboard() {
  return (
    <p>
      <a href="/dashboard" className="inline-flex items-center min-h-11">
        Back to your dashboard
      </a>
    </p>
  );
}
