import { Example, Label } from "./example.tsx";

const ACCOUNTS = [
  { bank: "NORTHSIDE CHECKING 4821", label: "Everyday" },
  { bank: "BLUE CARD 1005", label: "The blue card" },
  { bank: "NORTHSIDE SAVINGS 0077", label: "Porto" },
];

export function ConnectionExample() {
  return (
    <Example caption="New transactions, no download">
      <ul>
        {ACCOUNTS.map(({ bank, label }) => (
          <li
            key={bank}
            className="grid grid-cols-[1fr_9rem] gap-x-3 items-center justify-items-start py-3 border-t border-dashed border-rule"
          >
            <span className="font-mono text-[0.9375rem]">{bank}</span>
            <Label>{label}</Label>
          </li>
        ))}
      </ul>
    </Example>
  );
}
