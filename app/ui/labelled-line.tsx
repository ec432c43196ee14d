/** The small print above a heading: the topic of the page as a bank line with its label. */
export function LabelledLine({ text, label }: { text: string; label: string }) {
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 gap-y-2 font-mono text-quiet [overflow-wrap:anywhere]">
      {text} <span className="label font-sans font-semibold">{label}</span>
    </p>
  );
}
