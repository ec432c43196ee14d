import type { CategoryInput } from "./category-input.ts";
import { find } from "./find.ts";

/** What stands in the fields of each category, in their order. */
export function categoriesIn(form: HTMLFormElement): CategoryInput[] {
  return setsIn(form).map((set) => ({
    name: nameOf(set).value,
    keywords: find(set, "textarea", HTMLTextAreaElement).value,
  }));
}

let added = 0;

/** Adds empty fields for one more, with a button that takes them away again. @param onRemoved called after that */
export function addCategory(form: HTMLFormElement, onRemoved: () => void): void {
  const [first, ...others] = setsIn(form);
  const set = first?.cloneNode(true) as HTMLFieldSetElement;
  const suffix = `-${++added}`;
  // The hints stay with the first fields, which every other one still names as its description.
  for (const hint of set.querySelectorAll("p")) hint.remove();
  for (const label of set.querySelectorAll("label")) label.htmlFor += suffix;
  for (const field of set.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")) {
    field.id += suffix;
    field.value = "";
  }
  const remove = document.createElement("button");
  remove.type = "button";
  remove.className = "button";
  remove.dataset.quiet = "";
  remove.addEventListener("click", () => {
    const before = set.previousElementSibling as HTMLFieldSetElement;
    set.remove();
    number(form);
    nameOf(before).focus();
    onRemoved();
  });
  set.append(remove);
  (others.at(-1) ?? first)?.after(set);
  number(form);
  nameOf(set).focus();
}

function number(form: HTMLFormElement): void {
  for (const [index, set] of setsIn(form).entries()) {
    find(set, "legend", HTMLLegendElement).textContent = `Category ${index + 1}`;
    const remove = set.querySelector("button");
    if (remove) remove.textContent = `Remove category ${index + 1}`;
  }
}

function nameOf(set: HTMLFieldSetElement): HTMLInputElement {
  return find(set, "input", HTMLInputElement);
}

function setsIn(form: HTMLFormElement): HTMLFieldSetElement[] {
  return [...form.querySelectorAll("fieldset")];
}
