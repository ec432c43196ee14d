import { StatementSheet } from "../ui/statement.tsx";
import { PLACES_PER_FRIEND } from "./rules.ts";

const START = 12;
const LINES = [
  { text: "CONFIRMED BY EMAIL", amount: String(START), label: `You are number ${START}` },
  {
    text: "FRIEND CONFIRMED",
    amount: `−${PLACES_PER_FRIEND}`,
    label: `Now number ${START - PLACES_PER_FRIEND}`,
  },
  {
    text: "FRIEND CONFIRMED",
    amount: `−${PLACES_PER_FRIEND}`,
    label: `Now number ${START - 2 * PLACES_PER_FRIEND}`,
  },
];

/** How a place moves up, drawn as a bank statement with labels. */
export function PlaceStatement() {
  return (
    <StatementSheet caption="How a place moves, for example">
      {LINES.map(({ text, amount, label }, index) => (
        <li key={label} className={`statement-line line-${index}`}>
          <span className="font-mono text-[0.9375rem]">{text}</span>
          <span className="amount font-semibold">{amount}</span>
          <span className="label">{label}</span>
        </li>
      ))}
    </StatementSheet>
  );
}
