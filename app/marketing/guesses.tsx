import { Amount } from "../ui/amount.tsx";
import { SAMPLE_MONTH } from "../ui/sample-lines.ts";
import { StatementSheet } from "../ui/statement.tsx";

const LINES = ["COSTCO WHSE", "COSTCO GAS", "COSTCO TIRE"].flatMap(
  (store) => SAMPLE_MONTH.find(({ text }) => text.startsWith(store)) ?? [],
);

export function Guesses() {
  return (
    <StatementSheet caption="One name, one guess, three reasons">
      {LINES.map(({ text, minorUnits, label }, index) => (
        <li key={text} className={`statement-line line-${index}`}>
          <span className="font-mono">{text}</span>
          <Amount minorUnits={minorUnits} />
          <span className="col-span-full flex flex-wrap items-center gap-3 text-[0.9375rem]">
            <span className="sr-only">guessed:</span> <s className="text-quiet">Groceries</s>{" "}
            <span className="sr-only">yours:</span>
            <span className="label font-semibold">{label}</span>
          </span>
        </li>
      ))}
    </StatementSheet>
  );
}
