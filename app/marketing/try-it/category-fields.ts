import type { CategoryInput } from "./category-input.ts";
import { find } from "./find.ts";

/** The values of each category's fields, in order. */
export function readCategoryFields(form: HTMLFormElement): CategoryInput[] {
  return fieldsetsOf(form).map((fieldset) => ({
    name: nameInputOf(fieldset).value,
    keywords: find(fieldset, "textarea", HTMLTextAreaElement).value,
  }));
}

let added = 0;

/** Adds empty fields for another category, with a button to remove them. @param onRemoved called after the removal */
export function addCategory(form: HTMLFormElement, onRemoved: () => void): void {
  const [first, ...others] = fieldsetsOf(form);
  const fieldset = first?.cloneNode(true) as HTMLFieldSetElement;
  const suffix = `-${++added}`;
  // The copies keep their aria-describedby, which refers to the hints of the first fieldset.
  for (const hint of fieldset.querySelectorAll("p")) hint.remove();
  for (const label of fieldset.querySelectorAll("label")) label.htmlFor += suffix;
  for (const field of fieldset.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")) {
    field.id += suffix;
    field.value = "";
  }
  const remove = document.createElement("button");
  remove.type = "button";
  remove.className = "button";
  remove.dataset.quiet = "";
  remove.addEventListener("click", () => {
    const before = fieldset.previousElementSibling as HTMLFieldSetElement;
    fieldset.remove();
    renumber(form);
    nameInputOf(before).focus();
    onRemoved();
  });
  fieldset.append(remove);
  (others.at(-1) ?? first)?.after(fieldset);
  renumber(form);
  nameInputOf(fieldset).focus();
}

function renumber(form: HTMLFormElement): void {
  for (const [index, fieldset] of fieldsetsOf(form).entries()) {
    find(fieldset, "legend", HTMLLegendElement).textContent = `Category ${index + 1}`;
    const remove = fieldset.querySelector("button");
    if (remove) remove.textContent = `Remove category ${index + 1}`;
  }
}

function nameInputOf(fieldset: HTMLFieldSetElement): HTMLInputElement {
  return find(fieldset, "input", HTMLInputElement);
}

function fieldsetsOf(form: HTMLFormElement): HTMLFieldSetElement[] {
  return [...form.querySelectorAll("fieldset")];
}
