import type { ReactNode } from "react";

/** Screen readers announce errors at once, anything else politely. */
export function Notice(props: {
  tone: "good" | "bad" | "plain";
  /** For support (spec §8). */
  code?: string;
  children: ReactNode;
}) {
  const { tone, code, children } = props;
  const edge = { good: "border-green", bad: "border-coral", plain: "border-label" }[tone];
  return (
    <div
      role={tone === "bad" ? "alert" : "status"}
      data-code={code}
      className={`border-l-[6px] ${edge} bg-sheet px-4 py-3 w-full`}
    >
      {children}
    </div>
  );
}
