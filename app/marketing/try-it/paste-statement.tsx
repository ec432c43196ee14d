import { TEXT_LIMIT } from "./csv-lines.ts";

export function PasteStatement({ pasted, onPaste }: { pasted: string; onPaste: (text: string) => void }) {
  async function read(file?: File) {
    if (file) onPaste(await textOf(file));
  }
  return (
    <div className="grid gap-1.5 justify-items-start">
      <label htmlFor="pasted" className="font-semibold">
        Lines from your bank
      </label>
      <p id="pasted-hint" className="text-quiet text-[0.9375rem]">
        Paste rows, or drop a CSV file here: up to 200 lines. It is read in your browser and sent nowhere.
      </p>
      <textarea
        id="pasted"
        rows={5}
        className="field-input"
        aria-describedby="pasted-hint"
        autoComplete="off"
        spellCheck={false}
        value={pasted}
        onChange={({ currentTarget }) => onPaste(currentTarget.value)}
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          const [file] = event.dataTransfer.files;
          if (!file) return;
          event.preventDefault();
          read(file);
        }}
      />
      <label className="grid gap-1.5 w-full text-[0.9375rem]">
        Or choose a CSV file
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          className="min-h-11 max-w-full"
          onChange={({ currentTarget }) => read(currentTarget.files?.[0])}
        />
      </label>
    </div>
  );
}

/** Banks write UTF-8 or Windows-1252. */
async function textOf(file: File): Promise<string> {
  const bytes = await file.slice(0, TEXT_LIMIT).arrayBuffer();
  try {
    // As a stream, whose last character may be cut.
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return new TextDecoder("windows-1252").decode(bytes);
  }
}
