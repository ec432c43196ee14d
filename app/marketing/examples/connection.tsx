import { Example, Label } from "./example.tsx";

const ACCOUNTS = [
  { bank: "NORTHSIDE CHECKING 4821", label: "Everyday" },
  { bank: "BLUE CARD 1005", label: "The blue card" },
  { bank: "NORTHSIDE SAVINGS 0077", label: "Porto" },
];

/** Connected accounts with the names their owner gave them. */
export function ConnectionExample() {
  return (
    <Example caption="New transactions, no download">
      <ul>
        {ACCOUNTS.map(({ bank, label }) => (
          <li
            key={bank}
            className="flex flex-wrap gap-x-3 gap-y-1 items-center py-3 border-t border-dashed border-rule"
          >
            <span className="font-mono text-[0.9375rem]">{bank}</span>
            <svg viewBox="0 0 60 10" className="w-12 stroke-green max-sm:hidden" aria-hidden="true">
              <path className="fill-none" strokeWidth="2" d="M1 5h50m-5-4 5 4-5 4" />
            </svg>
            <Label>{label}</Label>
          </li>
        ))}
      </ul>
    </Example>
  );
}
