import type { ReactNode } from "react";

/** Screen readers announce errors at once, anything else politely. @param props.isStatic part of the page, and not announced */
export function Notice(props: {
  tone: "good" | "bad" | "plain";
  /** For support (spec §8). */
  code?: string;
  isStatic?: boolean;
  children: ReactNode;
}) {
  const { tone, code, isStatic, children } = props;
  const edge = { good: "border-green", bad: "border-coral", plain: "border-label" }[tone];
  return (
    <div
      role={isStatic ? undefined : tone === "bad" ? "alert" : "status"}
      data-code={code}
      className={`border-l-[6px] ${edge} bg-sheet px-4 py-3 w-full`}
    >
      {children}
    </div>
  );
}
