import type { CategoryInput } from "./category-input.ts";

interface CategoryFieldsProps {
  number: number;
  /** Of fields that were added, whose hints are those of the first. */
  id?: number;
  typed?: CategoryInput;
  onRemove?: () => void;
}

/** The two fields of a category. */
export function CategoryFields({ number, id, typed, onRemove }: CategoryFieldsProps) {
  const suffix = id === undefined ? "" : `-${id}`;
  return (
    <fieldset className="grid gap-4 justify-items-start min-w-0">
      <legend className="sr-only">{`Category ${number}`}</legend>
      <div className="grid gap-1.5 w-full">
        <label htmlFor={`category${suffix}`} className="font-semibold">
          Category
        </label>
        {!onRemove && (
          <p id="category-hint" className="text-quiet text-[0.9375rem]">
            Whatever you call it at home.
          </p>
        )}
        <input
          id={`category${suffix}`}
          name="category"
          className="field-input"
          aria-describedby="category-hint"
          autoComplete="off"
          spellCheck={false}
          defaultValue={typed?.name}
          // biome-ignore lint/a11y/noAutofocus: it is there because its button was pressed
          autoFocus={onRemove !== undefined}
        />
      </div>
      <div className="grid gap-1.5 w-full">
        <label htmlFor={`keywords${suffix}`} className="font-semibold">
          Keywords
        </label>
        {!onRemove && (
          <p id="keywords-hint" className="text-quiet text-[0.9375rem]">
            Whole words, separated by commas: coffee, cafe. Capitals and accents don’t matter. If two match,
            the longer one wins.
          </p>
        )}
        <textarea
          id={`keywords${suffix}`}
          name="keywords"
          rows={2}
          className="field-input"
          aria-describedby="keywords-hint"
          autoComplete="off"
          spellCheck={false}
          defaultValue={typed?.keywords}
        />
      </div>
      {onRemove && (
        <button type="button" className="button" data-quiet="" onClick={onRemove}>
          {`Remove category ${number}`}
        </button>
      )}
    </fieldset>
  );
}
