import { Example, Label } from "./example.tsx";

/** Computed monthly, interest rounded to cents. */
const REPAYMENTS = [
  { monthly: "$25.00", months: 35, interest: "$230.40" },
  { monthly: "$60.00", months: 12, interest: "$78.28" },
  { monthly: "$120.00", months: 6, interest: "$39.69" },
];

export function CardExample() {
  return (
    <Example caption={<Label>The blue card</Label>}>
      <p className="flex flex-wrap justify-between gap-x-4">
        <span>Balance, at 21.9% a year</span>
        <strong className="amount text-coral">−$640.00</strong>
      </p>
      <table className="w-full text-[0.9375rem]">
        <thead>
          <tr className="text-quiet text-left">
            <th className="font-normal pb-1">Monthly payment</th>
            <th className="font-normal text-right pb-1 pl-2">Months</th>
            <th className="font-normal text-right pb-1 pl-2">Interest</th>
          </tr>
        </thead>
        <tbody>
          {REPAYMENTS.map(({ monthly, months, interest }) => (
            <tr key={monthly} className="border-t border-dashed border-rule">
              <td className="amount py-2">{monthly}</td>
              <td className="text-right">{months}</td>
              <td className="amount text-right font-semibold pl-2">{interest}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Example>
  );
}
