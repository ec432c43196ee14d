import { StatementSheet } from "../ui/statement.tsx";
import { PLACES_PER_FRIEND } from "./rules.ts";

const START = 12;
const STEPS = ["You confirm your email address", "A friend joins with your link", "Another friend joins"];

/** An example of how a place moves up, drawn as a statement. */
export function PlaceStatement() {
  return (
    <StatementSheet caption="Example: how you move up">
      {STEPS.map((step, friends) => (
        <li key={step} className="statement-line">
          <span>{step}</span>
          <span className="amount font-semibold">{`Number ${START - friends * PLACES_PER_FRIEND}`}</span>
        </li>
      ))}
    </StatementSheet>
  );
}
