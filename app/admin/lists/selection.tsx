// biome-ignore-all lint/a11y/noRedundantRoles: on a phone rows are cards, and what is not laid out as a table loses its roles
import {
  createContext,
  type ReactNode,
  use,
  useEffect,
  useEffectEvent,
  useId,
  useRef,
  useState,
} from "react";
import { useLocation } from "react-router";
import { SubmitButton } from "../../ui/button.tsx";
import { PostForm } from "../../ui/post-form.tsx";
import { useHydrated } from "../../ui/use-hydrated.ts";
import { SELECTED } from "../flash.ts";
import { useFormFetcher } from "../status.tsx";

export interface Selection<Row> {
  /** The label of its checkbox: "job 12". `null`: it has none. */
  nameOf: (row: Row) => string | null;
  buttons: readonly { press: string; label: string; pendingLabel: string }[];
}

interface Ticked {
  ticked: number;
  boxes: number;
}

const SelectionContext = createContext<
  (Ticked & { formId: string; tickAll: (isTicked: boolean) => void }) | null
>(null);

/** The checkboxes are uncontrolled, so that those ticked before React runs stay ticked. */
export function Selectable({
  buttons,
  rows,
  children,
}: Pick<Selection<never>, "buttons"> & { rows: unknown; children: ReactNode }) {
  const formId = useId();
  const { key } = useLocation();
  const isHydrated = useHydrated();
  const fetcher = useFormFetcher();
  const form = useRef<HTMLFormElement>(null);
  const [counts, setCounts] = useState<Ticked>({ ticked: 0, boxes: 0 });
  const boxesOf = () =>
    [...(form.current?.elements ?? [])].filter(
      (element): element is HTMLInputElement =>
        element instanceof HTMLInputElement && element.name === SELECTED,
    );
  const count = () => {
    const boxes = boxesOf();
    setCounts({ ticked: boxes.filter(({ checked }) => checked).length, boxes: boxes.length });
  };
  const onOtherRows = useEffectEvent(count);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each is an occasion to count again
  useEffect(() => onOtherRows(), [key, rows]);
  const tickAll = (isTicked: boolean) => {
    for (const box of boxesOf()) box.checked = isTicked;
  };
  return (
    <div className="console-selectable" onChange={count}>
      <SelectionContext value={{ ...counts, formId, tickAll }}>{children}</SelectionContext>
      <PostForm id={formId} ref={form} fetcher={fetcher} preventScrollReset className="console-selected">
        <p aria-live="polite">{isHydrated ? `${counts.ticked} selected` : "The selected ones:"}</p>
        {buttons.map(({ press, label, pendingLabel }) => (
          <SubmitButton key={press} name="do" value={press} isQuiet pendingLabel={pendingLabel}>
            {label}
          </SubmitButton>
        ))}
      </PostForm>
    </div>
  );
}

export function SelectAll({ of }: { of: string }) {
  const selection = use(SelectionContext);
  const isHydrated = useHydrated();
  if (!selection) return null;
  const { ticked, boxes, tickAll } = selection;
  return (
    <th scope="col" role="columnheader" className="console-tick">
      {isHydrated ? (
        <label>
          <input
            type="checkbox"
            checked={boxes > 0 && ticked === boxes}
            ref={(box) => {
              if (box) box.indeterminate = ticked > 0 && ticked < boxes;
            }}
            onChange={(event) => tickAll(event.currentTarget.checked)}
          />
          <span className="sr-only">
            Select all<span className="sr-only"> {of} on this page</span>
          </span>
        </label>
      ) : (
        <span className="sr-only">Selected</span>
      )}
    </th>
  );
}

/** Keyed by row: no row of the next page is selected. */
export function SelectRow({ value, name }: { value: string; name: string | null }) {
  const selection = use(SelectionContext);
  const { key } = useLocation();
  if (!selection) return null;
  if (name === null) return <td role="cell" className="console-tick" />;
  return (
    <td role="cell" className="console-tick">
      <label>
        <input key={key} type="checkbox" name={SELECTED} value={value} form={selection.formId} />
        <span className="sr-only">Select {name}</span>
      </label>
    </td>
  );
}
