import { useSite } from "../ui/site.ts";

/** One question and the answer of each kind of app. Fair: it says so where guessing is better. */
const ROWS: { question: string; guessing: string; naming: string }[] = [
  {
    question: "The first evening",
    guessing: "Connect a bank and look. Nothing to set up.",
    naming: "About ten minutes of naming before you see anything.",
  },
  {
    question: "Whose words",
    guessing: "A list somebody else made: Shopping, Entertainment, General. Most let you add to it.",
    naming: "Yours alone. “Mum’s birthday” is a category if you say so.",
  },
  {
    question: "A shop it has not met",
    guessing: "Gets a guess, which is often right.",
    naming: "Waits as “yours to name” until you give it a keyword.",
  },
  {
    question: "A line that is wrong",
    guessing: "You correct it, and perhaps the next one like it, and hope it learns.",
    naming: "You change one keyword. Every line it fits changes, the old ones too.",
  },
  {
    question: "Why a line is where it is",
    guessing: "Often hard to say.",
    naming: "Always one answer: the longest of your keywords that fits.",
  },
  {
    question: "Income",
    guessing: "Mostly one pot.",
    naming: "Sources you name, as finely as you like.",
  },
  {
    question: "Best for",
    guessing: "A rough picture with no effort. If that is all you want, use one of them.",
    naming: "Knowing what your money does, in words you would use aloud.",
  },
];

/** Guessing and naming, side by side. */
export function Comparison() {
  const { product } = useSite();
  return (
    <table className="w-full">
      <thead>
        <tr className="text-left align-bottom">
          <th className="w-1/2 pr-4 pb-3 font-semibold" scope="col">
            Apps that guess
          </th>
          <th className="w-1/2 pb-3" scope="col">
            <span className="label">{product}</span>
          </th>
        </tr>
      </thead>
      {ROWS.map(({ question, guessing, naming }) => (
        <tbody key={question} className="border-t border-dashed border-rule align-top">
          <tr>
            <th className="pt-4 pb-1 text-left font-serif font-bold" scope="rowgroup" colSpan={2}>
              {question}
            </th>
          </tr>
          <tr>
            <td className="pr-4 pb-4">{guessing}</td>
            <td className="pb-4">{naming}</td>
          </tr>
        </tbody>
      ))}
    </table>
  );
}
