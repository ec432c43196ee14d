type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

/** Says beside a field what is wrong with it, as `LabelledControl` does. */
export function showFieldError(field: Control, message: string): void {
  clearFieldError(field);
  const error = document.createElement("p");
  error.id = `${field.id}-error`;
  error.className = "text-coral font-semibold";
  error.textContent = message;
  field.after(error);
  field.ariaInvalid = "true";
  const described = field.getAttribute("aria-describedby");
  field.setAttribute("aria-describedby", described ? `${error.id} ${described}` : error.id);
}

/** Takes back what was said of a field: nobody knows yet whether it is right now. */
function clearFieldError(field: Control): void {
  const id = `${field.id}-error`;
  document.getElementById(id)?.remove();
  field.ariaInvalid = null;
  const rest = (field.getAttribute("aria-describedby") ?? "").split(" ").filter((each) => each !== id);
  if (rest.join("")) field.setAttribute("aria-describedby", rest.join(" "));
  else field.removeAttribute("aria-describedby");
}

/** A field that is being changed is no longer the one that was refused. */
export function watchFields(): void {
  document.addEventListener("input", ({ target }) => {
    if (isControl(target) && target.ariaInvalid === "true") clearFieldError(target);
  });
}

function isControl(target: EventTarget | null): target is Control {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLSelectElement ||
    target instanceof HTMLTextAreaElement
  );
}
