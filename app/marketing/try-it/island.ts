import { categorise } from "./categorise.ts";
import { addCategory, categoriesIn } from "./category-fields.ts";
import { type CategoryInput, readCategory } from "./category-input.ts";
import { countSentence } from "./count-sentence.ts";
import { readPastedLines } from "./csv-lines.ts";
import { find } from "./find.ts";
import { listOf } from "./statement-list.ts";

/** How long typing rests before the result is said, in milliseconds. */
const PAUSE = 500;

takeOver(find(document, "#try-it", HTMLElement));

/** Lets the form work here instead of asking the server. Throws before it changes anything when a part is missing. */
function takeOver(section: HTMLElement): void {
  const form = find(section, "form", HTMLFormElement);
  const status = find(section, "[role=status]", HTMLElement);
  const statement = listOf(find(section, "figure ul", HTMLElement));
  const given = find(form, "[data-given]", HTMLElement);
  const controls = find(form, "template", HTMLTemplateElement).content;
  const add = find(controls, "[data-add]", HTMLElement);
  const pasted = find(controls, "textarea", HTMLTextAreaElement);
  const back = find(controls, "[data-back]", HTMLElement);
  const givenCategories = [...given.querySelectorAll<HTMLElement>("li")].map(({ dataset }) => ({
    name: dataset.name ?? "",
    keywords: dataset.keywords ?? "",
  }));
  let pastedRemarks: string[] = [];
  let pause: ReturnType<typeof setTimeout> | undefined;

  const asking = find(form, "[data-asking]", HTMLElement);
  const hadFocus = asking.contains(document.activeElement);
  asking.replaceWith(controls);
  given.before(add);
  if (hadFocus) add.focus();
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => (target === pasted ? showLines() : label()));
  add.addEventListener("click", () => addCategory(form, label));
  back.addEventListener("click", () => {
    pasted.value = "";
    showLines();
    pasted.focus();
  });
  label();

  function showLines(): void {
    const isPasted = pasted.value.trim() !== "";
    const { lines, remarks } = isPasted ? readPastedLines(pasted.value) : { lines: null, remarks: [] };
    back.hidden = !isPasted;
    given.hidden = isPasted;
    pastedRemarks = remarks;
    statement.show(lines);
    label();
  }

  function label(): void {
    const inputs: CategoryInput[] = [...categoriesIn(form), ...(given.hidden ? [] : givenCategories)];
    const read = inputs.map(readCategory);
    const labels = categorise(
      statement.texts(),
      read.map(({ category }) => category),
    );
    statement.stick(labels);
    const labelled = labels.filter((label) => label !== null).length;
    const remarks = [...pastedRemarks, ...read.flatMap(({ remarks }) => remarks)];
    clearTimeout(pause);
    pause = setTimeout(
      say,
      PAUSE,
      labels.length > 0 ? [countSentence(labelled, labels.length), ...remarks] : remarks,
    );
  }

  /** Only what is new is put there, because a screen reader reads out what changes. */
  function say(sentences: string[]): void {
    if (sentences.join() === [...status.children].map(({ textContent }) => textContent).join()) return;
    status.replaceChildren(
      ...sentences.map((sentence) => {
        const paragraph = document.createElement("p");
        paragraph.textContent = sentence;
        return paragraph;
      }),
    );
  }
}
