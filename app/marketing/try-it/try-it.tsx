import { useLocation } from "react-router";
import { StatementLine, StatementSheet } from "../../ui/statement.tsx";
import type { CategoryInput } from "./category-input.ts";
import type { TryItResult } from "./from-query.ts";

/** Keeps the form in view beside the statement, on screens where it fits as a whole. */
const STICKY_FORM = "md:[&:not(:has(fieldset+fieldset,[open]))]:[@media(height>=45rem)]:sticky md:top-4";

/**
 * A form that labels a sample statement with the visitor's own category. Without a script it submits to the server; once
 * it is in view, island.ts enhances it, finding its parts by their data attributes, and nothing is sent any more.
 */
export function TryIt({ result }: { result: TryItResult }) {
  const { pathname } = useLocation();
  return (
    <section id="try-it" className="band try-it" aria-labelledby="try-it-title">
      <h2 id="try-it-title">Try it on a statement</h2>
      <p className="measure">
        Name a category and type a few words your bank uses for it. Every line with one of those words gets
        your label. The rest stays yours to name.
      </p>
      <div className="grid gap-6 md:grid-cols-[1.05fr_1fr] md:gap-16 items-start">
        <form action={`${pathname}#try-it`} className={`grid gap-6 min-w-0 max-md:order-last ${STICKY_FORM}`}>
          <CategoryFields typed={result.typed} />
          <PresetCategories categories={result.given} />
          <div data-asking="" className="grid gap-4 justify-items-start">
            <button type="submit" className="button">
              Stick the labels on
            </button>
            <p className="text-quiet text-[0.9375rem]">
              What you type goes to our server as part of the link, so that it can draw the result. We don’t
              keep it.
            </p>
          </div>
          <template>
            <BrowserControls />
          </template>
        </form>
        <StatementSheet
          scrolls
          caption={
            <div role="status">
              <p>{result.count}</p>
              {result.remarks.map((remark) => (
                <p key={remark}>{remark}</p>
              ))}
            </div>
          }
        >
          {result.lines.map((line) => (
            <StatementLine key={line.text} line={line} label={line.label} />
          ))}
        </StatementSheet>
      </div>
    </section>
  );
}

function CategoryFields({ typed }: { typed: CategoryInput }) {
  return (
    <fieldset className="grid gap-4 justify-items-start min-w-0">
      <legend className="sr-only">Category 1</legend>
      <div className="grid gap-1.5 w-full">
        <label htmlFor="category" className="font-semibold">
          Category
        </label>
        <p id="category-hint" className="text-quiet text-[0.9375rem]">
          Whatever you call it at home.
        </p>
        <input
          id="category"
          name="category"
          className="field-input"
          aria-describedby="category-hint"
          autoComplete="off"
          spellCheck={false}
          defaultValue={typed.name}
        />
      </div>
      <div className="grid gap-1.5 w-full">
        <label htmlFor="keywords" className="font-semibold">
          Keywords
        </label>
        <p id="keywords-hint" className="text-quiet text-[0.9375rem]">
          Whole words, separated by commas: coffee, cafe. Capitals and accents don’t matter. If two match, the
          longer one wins.
        </p>
        <textarea
          id="keywords"
          name="keywords"
          rows={2}
          className="field-input"
          aria-describedby="keywords-hint"
          autoComplete="off"
          spellCheck={false}
          defaultValue={typed.keywords}
        />
      </div>
    </fieldset>
  );
}

function PresetCategories({ categories }: { categories: CategoryInput[] }) {
  return (
    <div data-given="" className="grid gap-1.5">
      <p className="font-semibold">Already added</p>
      <ul className="grid gap-1.5">
        {categories.map(({ name, keywords }) => (
          <li key={name} data-name={name} data-keywords={keywords}>
            <span className="label">{name}</span> {keywords}
          </li>
        ))}
      </ul>
    </div>
  );
}

/**
 * Controls that need the script. island.ts replaces the submit button with them and moves the first button below the
 * fields it adds to.
 */
function BrowserControls() {
  return (
    <div className="grid gap-4 justify-items-start">
      <button type="button" className="button justify-self-start" data-quiet="" data-add="">
        Add another category
      </button>
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
            id="pasted"
            rows={5}
            className="field-input"
            aria-describedby="pasted-hint"
            autoComplete="off"
            spellCheck={false}
          />
          <button type="button" className="button" data-quiet="" data-back="" hidden>
            Back to the sample lines
          </button>
        </div>
      </details>
    </div>
  );
}
