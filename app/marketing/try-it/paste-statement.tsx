import { useRef } from "react";

/** A box for one's own lines, which takes the place of the server's button once React runs. */
export function PasteStatement({ pasted, onPaste }: { pasted: string; onPaste: (text: string) => void }) {
  const box = useRef<HTMLTextAreaElement>(null);
  return (
    <div className="grid gap-4 justify-items-start">
      <p className="text-quiet text-[0.9375rem]">
        Nothing you type or paste here leaves your browser or is stored.
      </p>
      <details className="w-full">
        <summary className="font-semibold min-h-11 content-center cursor-pointer">
          Paste your own statement
        </summary>
        <div className="grid gap-1.5 justify-items-start">
          <label htmlFor="pasted" className="font-semibold">
            Lines from your bank
          </label>
          <p id="pasted-hint" className="text-quiet text-[0.9375rem]">
            A CSV export or rows from a spreadsheet, up to 200 lines.
          </p>
          <textarea
            ref={box}
            id="pasted"
            rows={5}
            className="field-input"
            aria-describedby="pasted-hint"
            autoComplete="off"
            spellCheck={false}
            onInput={({ currentTarget }) => onPaste(currentTarget.value)}
          />
          {pasted.trim() !== "" && (
            <button
              type="button"
              className="button"
              data-quiet=""
              onClick={() => {
                onPaste("");
                if (!box.current) return;
                box.current.value = "";
                box.current.focus();
              }}
            >
              Back to the sample lines
            </button>
          )}
        </div>
      </details>
    </div>
  );
}
