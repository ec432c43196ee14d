import { useEffect, useRef, useState } from "react";
import { type KeepLink, keepLink } from "../../categories/carried.ts";
import { categorize } from "../../categories/categorize.ts";
import { CategoryFields } from "../../categories/category-fields.tsx";
import { type CategoryInput, MAX_CATEGORIES, readCategory } from "../../categories/category-input.ts";
import { countSentence } from "../../categories/count-sentence.ts";
import { totalsOf } from "../../ui/sample-lines.ts";
import { StatementLine, StatementSheet } from "../../ui/statement.tsx";
import { useSettled } from "../../ui/use-settled.ts";
import { Totals } from "../totals.tsx";
import { readPastedLines } from "./csv-lines.ts";
import type { TryItResult } from "./from-query.ts";
import { PasteStatement } from "./paste-statement.tsx";
import { useFirstNewInView } from "./use-first-new-in-view.ts";

export const ISLAND_ID = "try-it-island";

const ANNOUNCE_DELAY_MILLISECONDS = 500;

/** In the browser, React labels while one types. No two texts may be adjacent: public pages have no hydration marks. */
export function TryItForm(props: {
  pathname: string;
  result: TryItResult;
  /** Unless the server was sent the form. */
  onFirstUse?: () => void;
}) {
  const { pathname, result, onFirstUse } = props;
  const isUsed = useRef(result.isSubmitted);
  const form = useRef<HTMLFormElement>(null);
  const asking = useRef<HTMLDivElement>(null);
  const [typed, setTyped] = useState([result.typed]);
  const [added, setAdded] = useState<number[]>([]);
  const [isOwn, setOwn] = useState(false);
  const [pasted, setPasted] = useState("");
  // `null` while only the server can answer.
  const [browser, setBrowser] = useState<{ hadFocus: boolean } | null>(null);
  useEffect(() => {
    setBrowser({ hadFocus: asking.current?.contains(document.activeElement) ?? false });
  }, []);
  // Also what was typed before React came.
  // biome-ignore lint/correctness/useExhaustiveDependencies: fields that were removed are read no more
  useEffect(() => setTyped(readFields(form.current)), [added]);

  const own = isOwn && pasted.trim() !== "" ? readPastedLines(pasted) : null;
  const lines = own?.lines ?? result.lines;
  const read = [...typed, ...(own ? [] : result.given)].map(readCategory);
  const labels = categorize(
    lines.map(({ text }) => text),
    read.map(({ category }) => category),
  );
  const labelled = labels.filter((name) => name !== null).length;
  const remarks = [...(own?.remarks ?? []), ...read.flatMap((category) => category.remarks)];
  const sentences = labels.length > 0 ? [countSentence(labelled, labels.length), ...remarks] : remarks;
  const announcement = useSettled(
    browser ? sentences : [result.count, ...result.remarks],
    ANNOUNCE_DELAY_MILLISECONDS,
  );
  const list = useFirstNewInView(labels);
  const totals = totalsOf(
    lines.flatMap(({ minorUnits }, index) => {
      const label = labels[index];
      return label && minorUnits !== null ? { label, minorUnits } : [];
    }),
  );

  function noteUse() {
    if (!isUsed.current) onFirstUse?.();
    isUsed.current = true;
  }

  function remove(key: number) {
    const names = form.current?.elements.namedItem("category");
    if (names instanceof RadioNodeList) (names[added.indexOf(key)] as HTMLElement | undefined)?.focus();
    setAdded(added.filter((each) => each !== key));
  }

  return (
    <>
      <div className="grid gap-6 max-md:order-last">
        <StatementChoice isReady={browser !== null} isOwn={isOwn} onChoose={setOwn} />
        {isOwn && (
          <PasteStatement
            pasted={pasted}
            onPaste={(text) => {
              setPasted(text);
              noteUse();
            }}
          />
        )}
        <form
          ref={form}
          action={`${pathname}#try-it`}
          className="grid gap-6"
          onInput={() => {
            setTyped(readFields(form.current));
            noteUse();
          }}
          onSubmit={(event) => browser && event.preventDefault()}
        >
          <CategoryFields number={1} hasHints {...fieldsOf("", result.typed)} />
          {added.map((key, index) => (
            <CategoryFields
              key={key}
              number={index + 2}
              hasHints={false}
              isAdded
              {...fieldsOf(`-${key}`)}
              onRemove={() => remove(key)}
            />
          ))}
          {browser && added.length + 1 < MAX_CATEGORIES && (
            <button
              type="button"
              className="button justify-self-start"
              data-quiet=""
              // biome-ignore lint/a11y/noAutofocus: the button that had the focus has given way to this one
              autoFocus={browser.hadFocus}
              onClick={() => setAdded([...added, (added.at(-1) ?? 0) + 1])}
            >
              Add another category
            </button>
          )}
          {!own && <PresetCategories categories={result.given} />}
          {browser ? (
            <p className="text-quiet text-[0.9375rem]">
              Nothing you type here leaves your browser or is stored, unless you choose “Keep my categories.”
            </p>
          ) : (
            <div ref={asking} className="grid gap-4 justify-items-start">
              <button type="submit" className="button">
                Stick the labels on
              </button>
              <p className="text-quiet text-[0.9375rem]">
                Without JavaScript, what you type goes to our server as part of the link. We don’t keep it.
              </p>
            </div>
          )}
        </form>
      </div>
      <StatementSheet
        listRef={list}
        scrolls
        caption={
          <>
            <div role="status">
              {[...new Set(announcement)].map((sentence) => (
                <p key={sentence}>{sentence}</p>
              ))}
            </div>
            {lines.length > 3 && <p className="md:hidden">{`Scroll to see all ${lines.length} lines.`}</p>}
          </>
        }
      >
        {lines.map((line, index) => (
          <StatementLine
            key={`${own ? index : line.text}`}
            line={line}
            label={labels[index] ?? null}
            currency={own ? "" : "$"}
          />
        ))}
      </StatementSheet>
      {totals.length > 0 && (
        <>
          <div className="grid gap-4 max-md:order-last">
            <h3>What it adds up to</h3>
            <p>Your words, your totals. The app will do this for every month.</p>
            <Totals name="Totals" totals={totals} currency={own ? "" : "$"} />
          </div>
          <Keep link={keepLink(typed)} />
        </>
      )}
    </>
  );
}

function Keep({ link }: { link: KeepLink | null }) {
  return (
    <div className="grid gap-4 max-md:order-last self-end">
      <div className="flex flex-wrap gap-3">
        {link && (
          <a className="button" href={link.href}>
            Keep my categories
          </a>
        )}
        <a className="button" data-quiet="" href="/waitlist">
          Join Waitlist
        </a>
      </div>
      {link && link.leftOut > 0 && <p>{`Too long to come along: the last ${link.leftOut}.`}</p>}
      {link && (
        <p className="text-quiet text-[0.9375rem]">
          Saves your categories and keywords to your account. You’ll log in or sign up first. Bank lines are
          never saved.
        </p>
      )}
    </div>
  );
}

function fieldsOf(suffix: string, typed?: CategoryInput) {
  const field = (name: "category" | "keywords", defaultValue?: string) => ({
    id: name + suffix,
    name,
    defaultValue,
    "aria-describedby": `${name}-hint`,
  });
  return { name: field("category", typed?.name), keywords: field("keywords", typed?.keywords) };
}

/** Only React can answer it; until then it takes its room. */
function StatementChoice(props: { isReady: boolean; isOwn: boolean; onChoose: (isOwn: boolean) => void }) {
  const { isReady, isOwn, onChoose } = props;
  return (
    <fieldset disabled={!isReady} className="flex flex-wrap gap-2 text-[0.9375rem] noscript:hidden">
      <legend className="sr-only">Statement</legend>
      <label className="choice">
        <input type="radio" name="statement" checked={!isOwn} onChange={() => onChoose(false)} />
        Sample
      </label>
      <label className="choice">
        <input type="radio" name="statement" checked={isOwn} onChange={() => onChoose(true)} />
        Paste your own statement
      </label>
    </fieldset>
  );
}

function readFields(form: HTMLFormElement | null): CategoryInput[] {
  const fields = form ? new FormData(form) : new FormData();
  const keywords = fields.getAll("keywords");
  return fields
    .getAll("category")
    .map((name, index) => ({ name: String(name), keywords: String(keywords[index] ?? "") }));
}

function PresetCategories({ categories }: { categories: CategoryInput[] }) {
  return (
    <div className="grid gap-1.5">
      <p className="font-semibold">Already added</p>
      <ul className="grid gap-1.5">
        {categories.map(({ name, keywords }) => (
          <li key={name}>
            <span className="label">{name}</span>
            {` ${keywords}`}
          </li>
        ))}
      </ul>
    </div>
  );
}
