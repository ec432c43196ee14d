import { Bar, Example, Label } from "./example.tsx";

export function GoalExample() {
  return (
    <Example caption={<Label>Two weeks in Porto</Label>}>
      <div>
        <p className="flex flex-wrap justify-between gap-x-4">
          <span>Saved</span>
          <span className="amount">
            <strong className="text-green">$780.00</strong> of $1,200.00
          </span>
        </p>
        <Bar filled={65} />
      </div>
      <p className="text-[0.9375rem]">
        Six months to go: $70 a month gets you there. You save $85 on average, so you’ll be there a month
        early.
      </p>
    </Example>
  );
}
