import { useSite } from "../ui/site.ts";

/** Fair: it says so where guessing is better. */
const ROWS: { question: string; guessing: string; naming: string }[] = [
  {
    question: "The first evening",
    guessing: "Connect a bank and look. Nothing to set up.",
    naming: "About ten minutes of naming before you see anything.",
  },
  {
    question: "Whose words",
    guessing: "A list someone else made: Shopping, Entertainment, General. Most let you add to it.",
    naming: "Yours alone. “Mom’s birthday” is a category if you say so.",
  },
  {
    question: "A new store",
    guessing: "It gets a guess, which is often right.",
    naming: "It shows “needs a name” until you add a keyword.",
  },
  {
    question: "A wrong category",
    guessing: "You correct it. Some apps learn from that, some let you add a rule.",
    naming: "You change one keyword, and every line that contains it changes, old ones too.",
  },
  {
    question: "Why it was filed there",
    guessing: "Often hard to say.",
    naming: "Always clear: the longest matching keyword wins.",
  },
  {
    question: "Income",
    guessing: "Usually one lump.",
    naming: "Sources you name, in as much detail as you like.",
  },
  {
    question: "Best for",
    guessing: "A rough picture with no effort. If that’s all you want, use one of them.",
    naming: "Knowing what your money does, in the words you would say out loud.",
  },
];

export function Comparison() {
  const { product } = useSite();
  return (
    <table className="w-full">
      <thead className="max-sm:hidden">
        <tr className="text-left align-bottom">
          <th className="w-1/2 pr-4 pb-3 font-semibold" scope="col">
            Apps that guess
          </th>
          <th className="w-1/2 pb-3 font-semibold" scope="col">
            {product}
          </th>
        </tr>
      </thead>
      {ROWS.map(({ question, guessing, naming }) => (
        <tbody key={question} className="border-t border-dashed border-rule align-top">
          <tr>
            <th
              className="pt-4 pb-1 text-left font-serif font-bold text-[1.2rem]"
              scope="rowgroup"
              colSpan={2}
            >
              {question}
            </th>
          </tr>
          <tr>
            <td className="pr-4 pb-4 max-sm:block">
              <span className="block font-semibold sm:hidden">Apps that guess</span>
              {guessing}
            </td>
            <td className="pb-4 max-sm:block">
              <span className="block font-semibold sm:hidden">{product}</span>
              {naming}
            </td>
          </tr>
        </tbody>
      ))}
    </table>
  );
}
