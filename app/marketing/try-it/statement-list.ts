import { amountText, type BankLine, YOURS_TO_NAME } from "../../ui/bank-line.ts";

/** Controls the list of lines that the server rendered. */
export function statementList(list: HTMLElement) {
  const sample = [...list.children];
  let items = sample;

  return {
    /** The bank's text of each line shown. */
    texts: () => items.map((item) => item.children[0]?.textContent ?? ""),

    /** Shows these lines, or the sample for `null`. */
    show(lines: BankLine[] | null): void {
      items = lines ? lines.map(draw) : sample;
      list.replaceChildren(...items);
    },

    /** Sets the label of each line; the stylesheet animates those that were blank. */
    setLabels(labels: (string | null)[]): void {
      let firstNew: Element | undefined;
      for (const [index, item] of items.entries()) {
        const label = labels[index] ?? null;
        const tag = item.children[2];
        if (label !== null && tag?.hasAttribute("data-blank")) firstNew ??= item;
        tag?.toggleAttribute("data-blank", label === null);
        write(tag, label ?? YOURS_TO_NAME);
      }
      if (firstNew) bringIntoView(firstNew);
    },
  };

  /** On small screens the list shows a few lines at a time and scrolls within itself. */
  function bringIntoView(item: Element): void {
    if (list.scrollHeight <= list.clientHeight) return;
    const [at, top] = [item, list].map((element) => element.getBoundingClientRect().top);
    list.scrollTop += (at ?? 0) - (top ?? 0);
  }

  function draw({ text, minorUnits }: BankLine): Element {
    const item = sample[0]?.cloneNode(true) as Element;
    const [words, amount, label] = item.children;
    write(words, text);
    write(amount, minorUnits === null ? "" : amountText(minorUnits));
    amount?.classList.toggle("text-green", Number(minorUnits) > 0);
    amount?.classList.toggle("text-coral", Number(minorUnits) < 0);
    label?.setAttribute("data-blank", "");
    return item;
  }
}

function write(element: Element | undefined, text: string): void {
  if (element && element.textContent !== text) element.textContent = text;
}
