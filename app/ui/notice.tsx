import type { ReactNode } from "react";

/** Something that just happened. An error interrupts a screen reader, anything else waits its turn. */
export function Notice({ tone, children }: { tone: "good" | "bad" | "plain"; children: ReactNode }) {
  const edge = { good: "border-green", bad: "border-coral", plain: "border-label" }[tone];
  return (
    <div
      role={tone === "bad" ? "alert" : "status"}
      className={`border-l-[6px] ${edge} bg-sheet px-4 py-3 w-full`}
    >
      {children}
    </div>
  );
}
