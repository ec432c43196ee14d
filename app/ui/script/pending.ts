/**
 * Shows what a form's button says while the form is being sent. It keeps its width if it has both texts already, and is
 * never `disabled`, which would lose the focus.
 */
export function setPending(button: HTMLElement | null, isPending: boolean): void {
  const label = button?.dataset.pending;
  if (!button || label === undefined) return;
  if (isPending) button.dataset.label = button.ariaLabel ?? "";
  button.ariaDisabled = String(isPending);
  button.ariaLabel = isPending ? label : button.dataset.label || null;
  const [now, meanwhile] = button.children;
  if (!now) return;
  if (!meanwhile) {
    if (isPending) button.dataset.text = now.textContent ?? "";
    now.textContent = isPending ? label : (button.dataset.text ?? now.textContent);
    return;
  }
  now.classList.toggle("invisible", isPending);
  meanwhile.classList.toggle("invisible", !isPending);
  meanwhile.ariaHidden = String(!isPending);
}

/** A button that is at work ignores presses; one whose form loads a document is at work until that is there. */
export function watchButtons(): void {
  document.addEventListener("click", (event) => {
    if (event.target instanceof Element && event.target.closest('button[aria-disabled="true"]'))
      event.preventDefault();
  });
  // On the window, which is last to get the event: a script that sends the form itself has prevented it by then.
  window.addEventListener("submit", ({ target, defaultPrevented, submitter }) => {
    if (defaultPrevented || !(target instanceof HTMLFormElement)) return;
    setPending(submitter ?? target.querySelector("button[data-pending]"), true);
  });
  // Going back in history may restore the page as it was left.
  window.addEventListener("pageshow", ({ persisted }) => {
    if (!persisted) return;
    for (const form of document.querySelectorAll("form")) form.ariaBusy = null;
    for (const button of document.querySelectorAll<HTMLElement>('button[aria-disabled="true"]'))
      setPending(button, false);
  });
}
