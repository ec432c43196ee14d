/** What a page is about, as a bank's line with its label stuck on: the small print above a heading. */
export function LabelledLine({ text, label }: { text: string; label: string }) {
  return (
    <p className="flex flex-wrap items-baseline gap-x-3 gap-y-2 font-mono text-quiet [overflow-wrap:anywhere]">
      {text} <span className="label font-sans font-semibold">{label}</span>
    </p>
  );
}
