import { Amount } from "./amount.tsx";

/** A bank line and the label its owner wrote on it. Spending is negative. */
interface Line {
  text: string;
  minorUnits: number;
  label: string;
}

const LINES: Line[] = [
  { text: "TESCO STORES 4412", minorUnits: -2380, label: "Sunday shop" },
  { text: "HARTLEY DESIGN LTD", minorUnits: 214000, label: "Day job" },
  { text: "SQ *CORNER COFFEE", minorUnits: -340, label: "Too much coffee" },
  { text: "TFL TRAVEL CH", minorUnits: -825, label: "Getting to work" },
  { text: "VINTED PAYOUT", minorUnits: 1850, label: "Wardrobe money" },
  { text: "NETFLIX.COM", minorUnits: -1099, label: "Sofa evenings" },
];

/** The picture the whole site is built from: a statement whose lines get their owner's words stuck on. */
export function Statement() {
  return (
    <figure className="sheet">
      <figcaption className="pb-3 text-quiet text-[0.9375rem]">
        Your bank's words, and <span className="label font-semibold">yours</span>
      </figcaption>
      <ul>
        {LINES.map((line, index) => (
          <li key={line.text} className={`statement-line line-${index}`}>
            <span className="font-mono text-[0.9375rem]">{line.text}</span>
            <Amount minorUnits={line.minorUnits} />
            <span className="label">{line.label}</span>
          </li>
        ))}
      </ul>
    </figure>
  );
}
