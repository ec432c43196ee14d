import { useEffect, useRef, useState } from "react";
import { redirect, type ShouldRevalidateFunctionArgs } from "react-router";
import { requireUser } from "../auth/session.server.ts";
import { categoriesIn } from "../categories/carried.ts";
import { categoriesForm, readCategories, saveCategories } from "../categories/categories.server.ts";
import { CategoryFields } from "../categories/category-fields.tsx";
import {
  type CategoryInput,
  isBlank,
  MAX_CATEGORIES,
  SLOTS,
  type Slot,
} from "../categories/category-input.ts";
import { countSentence } from "../categories/count-sentence.ts";
import { CHANGED_ELSEWHERE, categoryField, keywordsField } from "../categories/fields.ts";
import { labelSample } from "../categories/label-sample.ts";
import { fromContext } from "../http/context.server.ts";
import { submitForm } from "../http/submit-form.server.ts";
import { withLimit } from "../limits/rate-limit.server.ts";
import { SubmitButton } from "../ui/button.tsx";
import { ErrorSummary } from "../ui/error-summary.tsx";
import { Notice } from "../ui/notice.tsx";
import { PageLink } from "../ui/page-link.tsx";
import { pageMeta } from "../ui/page-meta.ts";
import { PostForm } from "../ui/post-form.tsx";
import { type FormAnswer, type FormField, useRouteForm } from "../ui/route-form.ts";
import { StatementLine, StatementSheet } from "../ui/statement.tsx";
import { useHydrated } from "../ui/use-hydrated.ts";
import type { Route } from "./+types/categories.ts";
import { ACCOUNT_LIMITS } from "./limits.ts";

export const meta: Route.MetaFunction = ({ matches }) =>
  pageMeta(matches, "Your categories", "Your own categories and the words they stand for.");

export { sendForm as clientAction } from "../ui/send-form.ts";

export const headers: Route.HeadersFunction = ({ actionHeaders }) => actionHeaders;

const FAILURE = "Your categories weren’t saved";

export async function loader(args: Route.LoaderArgs) {
  const { id } = await requireUser(args);
  const query = new URL(args.request.url).searchParams;
  const { categories, revision } = await readCategories(fromContext(args.context).app.db, id);
  const carried = categoriesIn(query).filter((each) => !categories.some((saved) => isSame(saved, each)));
  const room = MAX_CATEGORIES - categories.length;
  return {
    categories,
    revision,
    /** From "Try it", and not saved yet. */
    carried: carried.slice(0, room),
    withoutRoom: carried.slice(room),
    isSaved: query.has("saved"),
  };
}

export function action(args: Route.ActionArgs) {
  const { app } = fromContext(args.context);
  return submitForm(args, {
    schema: categoriesForm,
    failure: FAILURE,
    sender: requireUser,
    work: (typed, { id }) =>
      withLimit(
        app,
        ACCOUNT_LIMITS.categoriesByUser,
        id,
        async () =>
          (await saveCategories(app.db, id, typed)) ?? redirect("/dashboard/categories?saved=1", 303),
      ),
  });
}

/** Also after a refusal for a change elsewhere, which the page then shows. */
export function shouldRevalidate({ actionResult, defaultShouldRevalidate }: ShouldRevalidateFunctionArgs) {
  const answer: FormAnswer | undefined = actionResult;
  return defaultShouldRevalidate || (answer?.error?.[""]?.includes(CHANGED_ELSEWHERE) ?? false);
}

function isSame(saved: CategoryInput, carried: CategoryInput): boolean {
  return (
    saved.name === carried.name.trim() && saved.keywords === carried.keywords.replaceAll("\r\n", "\n").trim()
  );
}

export default function Categories({ loaderData, actionData }: Route.ComponentProps) {
  const { carried, withoutRoom, isSaved, revision } = loaderData;
  return (
    <div className="page grid gap-6 py-10">
      <h1>Your categories</h1>
      <p className="measure">
        Up to {MAX_CATEGORIES}, in your words. They are kept with your account, for the day your bank’s lines
        arrive. To take one out, empty its fields and save.
      </p>
      {isSaved && !actionData && (
        <Notice tone="good">
          Saved. <PageLink href="/dashboard">Back to your dashboard</PageLink>
        </Notice>
      )}
      {carried.length > 0 && !actionData && (
        <Notice tone="plain">
          Your words from “Try it” are filled in below. They are not saved yet: press “Save categories” if we
          should keep them.
        </Notice>
      )}
      {withoutRoom.length > 0 && (
        <Notice tone="plain">
          <p>There is no room for:</p>
          <CategoryList categories={withoutRoom} />
        </Notice>
      )}
      <CategoriesForm key={revision} {...loaderData} answer={actionData} />
      <p>
        <PageLink href="/dashboard" className="inline-flex items-center min-h-11">
          Back to your dashboard
        </PageLink>
      </p>
    </div>
  );
}

function CategoryList({ categories }: { categories: readonly CategoryInput[] }) {
  return (
    <ul className="grid gap-1.5">
      {categories.map(({ name, keywords }) => (
        <li key={`${name} ${keywords}`}>
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
}

/** A category on the form. One that was added is empty, whatever was saved in its place. */
interface Place {
  slot: Slot;
  isAdded: boolean;
}

function CategoriesForm({ categories, carried, revision, answer }: CategoriesFormProps) {
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
  // The last one is blank, where there is room: without scripts it is how one is added.
  const [places, setPlaces] = useState<Place[]>(() => {
    const used = typedAtFirst.map(({ slot }) => slot);
    return [...used, ...freeSlots(used).slice(0, 1)].map((slot) => ({ slot, isAdded: false }));
  });
  // Also what was typed before React came.
  // biome-ignore lint/correctness/useExhaustiveDependencies: fields that were removed are read no more
  useEffect(() => setTyped(readFields(sent.current)), [places]);
  const isHydrated = useHydrated();
  const [free] = freeSlots(places.map(({ slot }) => slot));
  const lines = labelSample(typed);
  const labeled = lines.filter(({ label }) => label !== null).length;
  return (
    <>
      {!form.valid && <ErrorSummary title={FAILURE} form={form} />}
      {form.errors?.includes(CHANGED_ELSEWHERE) && (
        <Notice tone="plain">
          <p>{categories.length > 0 ? "Saved by now:" : "By now, none are saved."}</p>
          <CategoryList categories={categories} />
        </Notice>
      )}
      <div className="grid gap-6 md:grid-cols-[1.05fr_1fr] md:gap-16 items-start">
        <PostForm
          {...formProps}
          ref={sent}
          className="grid gap-6 min-w-0"
          onInput={() => setTyped(readFields(sent.current))}
        >
          <input type="hidden" name="revision" value={revision} />
          {places.map(({ slot, isAdded }, index) => {
            const [name, keywords] = [fields[categoryField(slot)], fields[keywordsField(slot)]];
            return (
              <CategoryFields
                key={`${slot} ${isAdded}`}
                number={index + 1}
                name={controlOf(name, "category-hint", isAdded)}
                keywords={controlOf(keywords, "keywords-hint", isAdded)}
                errors={{ name: <Errors field={name} />, keywords: <Errors field={keywords} /> }}
                hasHints={index === 0}
                isAdded={isAdded}
                onRemove={
                  isHydrated && places.length > 1
                    ? () => setPlaces(places.filter((place) => place.slot !== slot))
                    : undefined
                }
              />
            );
          })}
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
        <StatementSheet
          scrolls
          caption={
            <p role="status">
              {labeled > 0
                ? `On a sample statement: ${countSentence(labeled, lines.length)}`
                : "A sample statement"}
            </p>
          }
        >
          {lines.map((line) => (
            <StatementLine key={line.text} line={line} label={line.label} />
          ))}
        </StatementSheet>
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

/** The places that are not used, the first of which is the next. */
function freeSlots(used: readonly Slot[]): Slot[] {
  return SLOTS.filter((slot) => !used.includes(slot));
}

/** What the form's fields hold, in order. */
function readFields(form: HTMLFormElement | null): CategoryInput[] {
  const fields = form ? new FormData(form) : new FormData();
  return SLOTS.map((slot) => ({
    name: String(fields.get(categoryField(slot)) ?? ""),
    keywords: String(fields.get(keywordsField(slot)) ?? ""),
  })).filter((each) => !isBlank(each));
}
