import { type ReactNode, useEffect, useRef, useState } from "react";
import { useActionData } from "react-router";
import { useHydrated } from "./use-hydrated.ts";

/** A form's answer: focused when it appears, and again with each further one. On loading a page, `autofocus` does the same. */
export function Focused({ children, ...props }: { children: ReactNode; id?: string; className?: string }) {
  const answer = useActionData<unknown>();
  const ref = useRef<HTMLDivElement>(null);
  const isHydrated = useHydrated();
  // The loaded document is left to the browser: the reader may be elsewhere by now.
  const [shown, setShown] = useState(isHydrated ? null : { answer });
  useEffect(() => {
    if (shown && shown.answer === answer) return;
    ref.current?.focus();
    setShown({ answer });
  }, [answer, shown]);
  return (
    // biome-ignore lint/a11y/noAutofocus: it is there only after a form was sent, and is what its sender needs next
    <div ref={ref} tabIndex={-1} autoFocus className="w-full" {...props}>
      {children}
    </div>
  );
}
