import type { ReactNode } from "react";

export function Prose({ children }: { children: ReactNode }) {
  return (
    <div className="page">
      <div className="page-prose">{children}</div>
    </div>
  );
}
