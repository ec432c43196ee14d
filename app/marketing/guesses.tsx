import { Amount } from "../ui/amount.tsx";
import { StatementSheet } from "../ui/statement.tsx";

/** Three lines with one shop's name, each with the label its owner would give it. */
const LINES = [
  { text: "COSTCO WHSE #0482", minorUnits: -14115, label: "Sunday shop" },
  { text: "COSTCO GAS #0482", minorUnits: -3860, label: "Getting to work" },
  { text: "COSTCO TIRE #0482", minorUnits: -61200, label: "Keeping the car" },
];

/** A statement with every line guessed as the same category, beside the owner's labels. */
export function Guesses() {
  return (
    <StatementSheet caption="One name, one guess, three reasons">
      {LINES.map(({ text, minorUnits, label }, index) => (
        <li key={text} className={`statement-line line-${index}`}>
          <span className="font-mono text-[0.9375rem]">{text}</span>
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
