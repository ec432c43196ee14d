import { useSite } from "../../ui/site.ts";
import { Bar, Example, Label } from "./example.tsx";

/** An exceeded budget and its email alert. */
export function BudgetExample() {
  const { product } = useSite();
  return (
    <Example caption={<Label>Too much coffee</Label>}>
      <div>
        <p className="flex flex-wrap justify-between gap-x-4">
          <span>November</span>
          <span className="amount">
            <strong className="text-coral">43.60</strong> of 40.00
          </span>
        </p>
        <Bar filled={87.2} limit={80} />
      </div>
      <div className="border-t border-dashed border-rule pt-3 grid gap-1 text-[0.9375rem]">
        <p className="text-quiet">{`Email from ${product}`}</p>
        <p className="font-semibold">“Too much coffee” is 3.60 over</p>
        <p>What did it: SQ *CORNER COFFEE, 4.10. Nine days left in November.</p>
      </div>
    </Example>
  );
}
