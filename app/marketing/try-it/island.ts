import { categorise } from "./categorise.ts";
import { addCategory, readCategoryFields } from "./category-fields.ts";
import { type CategoryInput, readCategory } from "./category-input.ts";
import { countSentence } from "./count-sentence.ts";
import { readPastedLines } from "./csv-lines.ts";
import { find } from "./find.ts";
import { statementList } from "./statement-list.ts";

/** How long to wait after the last input before the result is announced. */
const ANNOUNCE_DELAY_MILLISECONDS = 500;

enhance(find(document, "#try-it", HTMLElement));

/** Makes the form work in the browser instead of submitting. Throws before any change when an element is missing. */
function enhance(section: HTMLElement): void {
  const form = find(section, "form", HTMLFormElement);
  const status = find(section, "[role=status]", HTMLElement);
  const statement = statementList(find(section, "figure ul", HTMLElement));
  const presets = find(form, "[data-given]", HTMLElement);
  const controls = find(form, "template", HTMLTemplateElement).content;
  const add = find(controls, "[data-add]", HTMLElement);
  const pasted = find(controls, "textarea", HTMLTextAreaElement);
  const backToSample = find(controls, "[data-back]", HTMLElement);
  const presetCategories = [...presets.querySelectorAll<HTMLElement>("li")].map(({ dataset }) => ({
    name: dataset.name ?? "",
    keywords: dataset.keywords ?? "",
  }));
  let pastedRemarks: string[] = [];
  let announceTimer: ReturnType<typeof setTimeout> | undefined;

  const serverControls = find(form, "[data-asking]", HTMLElement);
  const hadFocus = serverControls.contains(document.activeElement);
  serverControls.replaceWith(controls);
  presets.before(add);
  if (hadFocus) add.focus();
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("input", ({ target }) => (target === pasted ? showLines() : applyLabels()));
  add.addEventListener("click", () => addCategory(form, applyLabels));
  backToSample.addEventListener("click", () => {
    pasted.value = "";
    showLines();
    pasted.focus();
  });
  applyLabels();

  function showLines(): void {
    const isPasted = pasted.value.trim() !== "";
    const { lines, remarks } = isPasted ? readPastedLines(pasted.value) : { lines: null, remarks: [] };
    backToSample.hidden = !isPasted;
    presets.hidden = isPasted;
    pastedRemarks = remarks;
    statement.show(lines);
    applyLabels();
  }

  function applyLabels(): void {
    const inputs: CategoryInput[] = [
      ...readCategoryFields(form),
      ...(presets.hidden ? [] : presetCategories),
    ];
    const read = inputs.map(readCategory);
    const labels = categorise(
      statement.texts(),
      read.map(({ category }) => category),
    );
    statement.setLabels(labels);
    const labelled = labels.filter((name) => name !== null).length;
    const remarks = [...pastedRemarks, ...read.flatMap(({ remarks }) => remarks)];
    clearTimeout(announceTimer);
    announceTimer = setTimeout(
      announce,
      ANNOUNCE_DELAY_MILLISECONDS,
      labels.length > 0 ? [countSentence(labelled, labels.length), ...remarks] : remarks,
    );
  }

  /** Updates the status only when it differs, because screen readers announce every change. */
  function announce(sentences: string[]): void {
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
