import { type ReactNode, useEffect, useRef, useState } from "react";
import { useActionData } from "react-router";
import { useHydrated } from "./use-hydrated.ts";

/**
 * What the answer to a form is about: it has the focus when it appears, and again with each further answer. `autofocus` does that
 * where the page is loaded.
 */
export function Focused({ children, ...props }: { children: ReactNode; id?: string; className?: string }) {
  const answer = useActionData<unknown>();
  const ref = useRef<HTMLDivElement>(null);
  const isHydrated = useHydrated();
  // What came with the document is left to the browser: by now the reader may be elsewhere.
  const [shown, setShown] = useState(isHydrated ? null : { answer });
  useEffect(() => {
    if (shown && shown.answer === answer) return;
    ref.current?.focus();
    setShown({ answer });
  }, [answer, shown]);
  return (
    // biome-ignore lint/a11y/noAutofocus: it is there only after a form was sent, and is what its sender needs next
    <div ref={ref} tabIndex={-1} autoFocus {...props}>
      {children}
    </div>
  );
}
