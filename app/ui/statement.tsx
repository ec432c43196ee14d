import type { ReactNode, Ref } from "react";
import { Amount } from "./amount.tsx";
import { type BankLine, NEEDS_A_NAME } from "./bank-line.ts";
import { STATEMENT_LINES } from "./sample-lines.ts";

export function Statement() {
  return (
    <StatementSheet caption="Your bank’s words, and yours">
      {STATEMENT_LINES.map((line, index) => (
        <StatementLine key={line.text} line={line} label={line.label} className={`line-${index}`} />
      ))}
    </StatementSheet>
  );
}

/** @param props.scrolls whether the list scrolls in itself when it is higher than the form beside it */
export function StatementSheet(props: {
  caption: ReactNode;
  scrolls?: boolean;
  listRef?: Ref<HTMLUListElement>;
  children: ReactNode;
}) {
  return (
    <figure className={props.scrolls ? "sheet sheet-scrolls" : "sheet"}>
      <figcaption className="pb-3 text-quiet text-[0.9375rem]">{props.caption}</figcaption>
      {/* Safari scrolls by keyboard only what has the focus. */}
      <ul
        ref={props.listRef}
        tabIndex={props.scrolls ? 0 : undefined}
        aria-label={props.scrolls ? "Statement" : undefined}
      >
        {props.children}
      </ul>
    </figure>
  );
}

/** @param props.label `null`: shows a placeholder */
export function StatementLine(props: {
  line: BankLine;
  label: string | null;
  currency?: "$" | "";
  className?: string;
}) {
  const { line, label, currency, className = "" } = props;
  return (
    <li className={`statement-line ${className}`}>
      <span className="font-mono">{line.text}</span>
      <Amount minorUnits={line.minorUnits} currency={currency} />
      <span className="label" data-blank={label === null || undefined}>
        {label ?? NEEDS_A_NAME}
      </span>
    </li>
  );
}
