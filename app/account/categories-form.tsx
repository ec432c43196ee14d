import { type ReactNode, useEffect, useRef, useState } from "react";
import type { categoriesForm } from "../categories/categories.server.ts";
import { CategoryFields } from "../categories/category-fields.tsx";
import { type CategoryInput, isBlank, SLOTS, type Slot } from "../categories/category-input.ts";
import { countSentence } from "../categories/count-sentence.ts";
import { CHANGED_ELSEWHERE, categoryField, keywordsField } from "../categories/fields.ts";
import { labelSample } from "../categories/label-sample.ts";
import { SubmitButton } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/error-summary.tsx";
import { Notice } from "../ui/notice.tsx";
import { PostForm } from "../ui/post-form.tsx";
import { type FormAnswer, type FormField, useRouteForm } from "../ui/route-form.ts";
import { StatementLine, StatementSheet } from "../ui/statement.tsx";
import { useHydrated } from "../ui/use-hydrated.ts";
import { useSettled } from "../ui/use-settled.ts";

const ANNOUNCE_DELAY_MILLISECONDS = 500;

export function CategoryList({ categories }: { categories: readonly CategoryInput[] }) {
  return (
    <ul className="grid gap-1.5">
      {categories.map(({ name, keywords }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two may be alike, and none is moved
        <li key={index}>
          <span className="label">{name}</span> {keywords}
        </li>
      ))}
    </ul>
  );
}

interface CategoriesFormProps {
  categories: CategoryInput[];
  carried: CategoryInput[];
  revision: number;
  answer: FormAnswer | undefined;
  failure: string;
  /** Below the form. */
  children: ReactNode;
}

/** One that was added is empty, whatever was saved in its place. */
interface Place {
  slot: Slot;
  isAdded: boolean;
}

/** Once React runs, labels the sample statement while one types. Without scripts, the blank last fields add a category. */
export function CategoriesForm({
  categories,
  carried,
  revision,
  answer,
  failure,
  children,
}: CategoriesFormProps) {
  const given = [...categories, ...carried];
  const { form, fields, formProps } = useRouteForm<typeof categoriesForm>(answer, {
    id: "categories",
    defaultValue: Object.fromEntries(
      SLOTS.flatMap((slot) => [
        [categoryField(slot), given[slot - 1]?.name],
        [keywordsField(slot), given[slot - 1]?.keywords],
      ]),
    ),
  });
  const typedAtFirst = SLOTS.map((slot) => ({
    slot,
    name: fields[categoryField(slot)].initialValue ?? "",
    keywords: fields[keywordsField(slot)].initialValue ?? "",
  })).filter((each) => !isBlank(each));
  const sent = useRef<HTMLFormElement>(null);
  const [typed, setTyped] = useState<CategoryInput[]>(typedAtFirst);
  const [places, setPlaces] = useState<Place[]>(() => {
    const used = typedAtFirst.map(({ slot }) => slot);
    return [...used, ...freeSlots(used).slice(0, 1)].map((slot) => ({ slot, isAdded: false }));
  });
  // Also what was typed before React came.
  // biome-ignore lint/correctness/useExhaustiveDependencies: fields that were removed are read no more
  useEffect(() => setTyped(readFields(sent.current)), [places]);
  const isHydrated = useHydrated();
  // Without scripts it saves the others too, which words that came along wait for their owner to do.
  const mayRemove = !isHydrated && carried.length === 0 && typedAtFirst.length > 0;
  const [free] = freeSlots(places.map(({ slot }) => slot));
  const lines = labelSample(typed);
  const labeled = lines.filter(({ label }) => label !== null).length;
  const [announcement] = useSettled(
    [
      labeled > 0
        ? `On a sample statement: ${countSentence(labeled, lines.length)}`
        : "A sample statement, to see which lines your words catch",
    ],
    ANNOUNCE_DELAY_MILLISECONDS,
  );

  function remove({ slot }: Place) {
    const at = places.findIndex((place) => place.slot === slot);
    const neighbor = places[at === 0 ? 1 : at - 1];
    const name = neighbor && sent.current?.elements.namedItem(categoryField(neighbor.slot));
    if (name instanceof HTMLElement) name.focus();
    setPlaces(places.filter((place) => place.slot !== slot));
  }

  return (
    <>
      {!form.valid && <ErrorSummary title={failure} form={form} />}
      {form.errors?.includes(CHANGED_ELSEWHERE) && (
        <Notice tone="plain">
          <p>{categories.length > 0 ? "Saved by now:" : "By now, none are saved."}</p>
          <CategoryList categories={categories} />
        </Notice>
      )}
      <div className="category-columns">
        <PostForm
          {...formProps}
          ref={sent}
          className="grid gap-6 min-w-0"
          onInput={() => setTyped(readFields(sent.current))}
        >
          <input type="hidden" name="revision" value={revision} />
          {/* What Enter presses is a form’s first button, which must not be one that removes. */}
          {mayRemove && (
            <button type="submit" className="sr-only" tabIndex={-1} aria-hidden="true">
              Save categories
            </button>
          )}
          {places.map(({ slot, isAdded }, index) => {
            const [name, keywords] = [fields[categoryField(slot)], fields[keywordsField(slot)]];
            return (
              <CategoryFields
                key={`${slot} ${isAdded}`}
                number={index + 1}
                total={SLOTS.length}
                name={controlOf(name, "category-hint", isAdded)}
                keywords={controlOf(keywords, "keywords-hint", isAdded)}
                errors={{ name: <Errors field={name} />, keywords: <Errors field={keywords} /> }}
                hasHints={index === 0}
                isAdded={isAdded}
                onRemove={isHydrated && places.length > 1 ? () => remove({ slot, isAdded }) : undefined}
                removes={mayRemove && index < typedAtFirst.length ? slot : undefined}
              />
            );
          })}
          {/* Where the statement is below, out of sight. */}
          {isHydrated && typed.length > 0 && (
            <p className="min-[60rem]:hidden">{`Your words catch ${labeled} of the ${lines.length} lines below.`}</p>
          )}
          <div className="flex flex-wrap gap-3">
            <SubmitButton pendingLabel="Saving…">Save categories</SubmitButton>
            {isHydrated && free && (
              <button
                type="button"
                className="button"
                data-quiet=""
                onClick={() => setPlaces([...places, { slot: free, isAdded: true }])}
              >
                Add another category
              </button>
            )}
          </div>
        </PostForm>
        <StatementSheet scrolls caption={<p role="status">{announcement}</p>}>
          {lines.map((line) => (
            <StatementLine key={line.text} line={line} label={line.label} />
          ))}
        </StatementSheet>
        {children}
      </div>
    </>
  );
}

function controlOf({ id, name, initialValue, errors, errorId }: FormField, hint: string, isAdded: boolean) {
  return {
    id,
    name,
    defaultValue: isAdded ? undefined : initialValue,
    "aria-describedby": errors ? `${errorId} ${hint}` : hint,
    "aria-invalid": errors && true,
  };
}

function Errors({ field: { errors, errorId } }: { field: FormField }) {
  return (
    errors && (
      <p id={errorId} className="text-coral font-semibold">
        {errors.join(". ")}
      </p>
    )
  );
}

function freeSlots(used: readonly Slot[]): Slot[] {
  return SLOTS.filter((slot) => !used.includes(slot));
}

function readFields(form: HTMLFormElement | null): CategoryInput[] {
  const fields = form ? new FormData(form) : new FormData();
  return SLOTS.map((slot) => ({
    name: String(fields.get(categoryField(slot)) ?? ""),
    keywords: String(fields.get(keywordsField(slot)) ?? ""),
  })).filter((each) => !isBlank(each));
}
