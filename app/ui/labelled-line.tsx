/** What a page is about, as a bank's line with its label stuck on: the small print above a heading. */
export function LabelledLine({ text, label }: { text: string; label: string }) {
  return (
    <p className="font-mono text-quiet [overflow-wrap:anywhere]">
      {text} <span className="label font-sans font-semibold ml-3">{label}</span>
    </p>
  );
}
