import type { ReactNode } from "react";

/** A column of text, 60 to 70 characters wide. */
export function Prose({ children }: { children: ReactNode }) {
  return (
    <div className="page">
      <div className="page-prose">{children}</div>
    </div>
  );
}
