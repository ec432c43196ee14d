import {
  type KeyboardEvent,
  type SubmitEvent,
  useEffect,
  useEffectEvent,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from "react";
import { PrefetchPageLinks, useFetcher, useLocation, useNavigate, useNavigation } from "react-router";
import { isShortcut } from "../../ui/shortcut.ts";
import { useAfter } from "../../ui/use-after.ts";
import { useHydrated } from "../../ui/use-hydrated.ts";
import { HitWords } from "./hit-words.tsx";
import type { loader } from "./search.tsx";
import { countsOf, groupHits, type Hit, pathOfSearch } from "./search-path.ts";

/** How long typing has to pause. */
const PAUSE_SECONDS = 0.15;

interface Search {
  text: string;
  isEntered: boolean;
}

/** Opened by ⌘K or Ctrl K on every page. Without scripts there is the form in the header. */
export function SearchDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const { key } = useLocation();
  const { location: next } = useNavigation();
  const arriving = useRef<string>(undefined);
  const isHydrated = useHydrated();

  const onKey = useEffectEvent((event: globalThis.KeyboardEvent) => {
    if (!isShortcut(event)) return;
    event.preventDefault();
    if (!dialog.current?.open) {
      arriving.current = next?.key;
      dialog.current?.showModal();
    }
    input.current?.select();
  });
  useEffect(() => {
    const listener = (event: globalThis.KeyboardEvent) => onKey(event);
    addEventListener("keydown", listener);
    return () => removeEventListener("keydown", listener);
  }, []);

  // Closed by every navigation but one that was under way when it was opened.
  useLayoutEffect(() => {
    if (key !== arriving.current) dialog.current?.close();
  }, [key]);

  if (!isHydrated) return null;
  return (
    <dialog ref={dialog} className="console-dialog" closedby="any" aria-label="Search the console">
      {/* Preloads the search page's module, so that it can report a network failure. */}
      <PrefetchPageLinks page={pathOfSearch("", true)} />
      <Searching input={input} onGone={() => dialog.current?.close()} />
    </dialog>
  );
}

/** A combobox with a list of hits (ARIA Authoring Practices). @param onGone called when a hit is opened */
function Searching({
  input,
  onGone,
}: {
  input: React.RefObject<HTMLInputElement | null>;
  onGone: () => void;
}) {
  const id = useId();
  const navigate = useNavigate();
  const fetcher = useFetcher<typeof loader>();
  const [search, setSearch] = useState<Search>({ text: "", isEntered: false });
  const [chosen, setChosen] = useState<string>();
  const text = search.text.trim();
  const found = fetcher.data?.typed === text ? fetcher.data : null;
  // The previous hits stay visible until the next ones arrive.
  const hits = (text !== "" && fetcher.data?.hits) || [];
  const active = hits.find(({ href }) => href === chosen) ?? hits[0];

  useAfter(search.isEntered ? 0 : PAUSE_SECONDS, text && search, () => {
    void fetcher.load(pathOfSearch(text, !search.isEntered));
  });

  function open({ href }: Hit) {
    onGone();
    void navigate(href);
  }

  function enter(event: SubmitEvent) {
    event.preventDefault();
    if (active && found) open(active);
    else setSearch({ ...search, isEntered: true });
  }

  function move(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !active) return;
    event.preventDefault();
    setChosen(hits.at((hits.indexOf(active) + step) % hits.length)?.href);
  }

  return (
    <>
      <form onSubmit={enter}>
        <label htmlFor={`${id}-input`} className="sr-only">
          Search the console
        </label>
        <input
          ref={input}
          id={`${id}-input`}
          className="field-input"
          role="combobox"
          aria-expanded={hits.length > 0}
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={active && `${id}-${hits.indexOf(active)}`}
          placeholder="Email, name, code, invoice, job, Stripe id…"
          maxLength={254}
          autoComplete="off"
          spellCheck={false}
          enterKeyHint="go"
          value={search.text}
          onChange={({ target }) => setSearch({ text: target.value, isEntered: false })}
          onKeyDown={move}
        />
      </form>
      <div id={`${id}-list`} role="listbox" aria-label="Found">
        {groupHits(hits).map(({ counted, found }) => (
          // biome-ignore lint/a11y/useSemanticElements: a group of a listbox
          <div key={counted} role="group" aria-label={counted} className="console-hits">
            {found.map((hit) => (
              <Option
                key={hit.href}
                id={`${id}-${hits.indexOf(hit)}`}
                hit={hit}
                isActive={hit === active}
                onOpen={() => open(hit)}
              />
            ))}
          </div>
        ))}
      </div>
      <p role="status">{wordsOf(text, found)}</p>
    </>
  );
}

function wordsOf(text: string, found: Awaited<ReturnType<typeof loader>> | null): string {
  if (text === "") return "Enter opens what is chosen, Escape closes.";
  if (!found) return "Searching…";
  if (found.isFailed) return found.note ?? "";
  const { hits, note } = found;
  const counts = hits.length === 0 ? `Nothing found for “${text}”.` : `${countsOf(hits)}.`;
  return [counts, note].filter(Boolean).join(" ");
}

interface OptionProps {
  id: string;
  hit: Hit;
  isActive: boolean;
  onOpen: () => void;
}

/** Keyboard focus stays in the input, so the active option is scrolled into view. */
function Option({ id, hit, isActive, onOpen }: OptionProps) {
  const option = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isActive) option.current?.scrollIntoView({ block: "nearest" });
  }, [isActive]);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the input has the keys
    // biome-ignore lint/a11y/useFocusableInteractive: the input has the focus and names the active option
    <div ref={option} id={id} role="option" aria-selected={isActive} onClick={onOpen}>
      <HitWords {...hit}>
        <bdi>{hit.title}</bdi>
      </HitWords>
    </div>
  );
}
