import type { ReactNode } from "react";

interface Field {
  id: string;
  name: string;
  defaultValue: string | undefined;
  "aria-describedby": string;
  "aria-invalid"?: boolean | undefined;
}

interface CategoryFieldsProps {
  number: number;
  /** Shown beside the number; without it only screen readers are told the number. */
  total?: number;
  name: Field;
  keywords: Field;
  errors?: { name: ReactNode; keywords: ReactNode };
  /** All fields refer to `category-hint` and `keywords-hint`. */
  hasHints: boolean;
  isAdded?: boolean;
  onRemove?: (() => void) | undefined;
  /** What its button sends as `remove`, where no script removes it. */
  removes?: number | undefined;
}

const CONTROL = { className: "field-input", autoComplete: "off", spellCheck: false };

export function CategoryFields(props: CategoryFieldsProps) {
  const { number, total, name, keywords, errors, hasHints, isAdded, onRemove, removes } = props;
  return (
    <fieldset className="grid gap-4 justify-items-start min-w-0">
      <legend className={total ? "text-quiet pb-2" : "sr-only"}>
        {`Category ${number}${total ? ` of ${total}` : ""}`}
      </legend>
      <div className="grid gap-1.5 w-full">
        <label htmlFor={name.id} className="font-semibold">
          Category or income source
        </label>
        {hasHints && (
          <p id="category-hint" className="text-quiet text-[0.9375rem]">
            Whatever you call it at home.
          </p>
        )}
        <input
          {...name}
          {...CONTROL}
          // biome-ignore lint/a11y/noAutofocus: it is there because its button was pressed
          autoFocus={isAdded}
        />
        {errors?.name}
      </div>
      <div className="grid gap-1.5 w-full">
        <label htmlFor={keywords.id} className="font-semibold">
          Keywords
        </label>
        {hasHints && (
          <p id="keywords-hint" className="text-quiet text-[0.9375rem]">
            Whole words, separated by commas: coffee, cafe. Capitals and accents don’t matter. If two match,
            the longer one wins.
          </p>
        )}
        <textarea {...keywords} {...CONTROL} rows={2} />
        {errors?.keywords}
      </div>
      {(onRemove || removes) && (
        <button
          type={onRemove ? "button" : "submit"}
          name="remove"
          value={removes}
          className="button"
          data-quiet=""
          onClick={onRemove}
        >
          {`Remove category ${number}`}
        </button>
      )}
    </fieldset>
  );
}
