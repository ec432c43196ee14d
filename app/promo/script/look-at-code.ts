import { accountHeaders } from "../../ui/account-mark.ts";
import { SENT_BY_SCRIPT } from "../../ui/sent-by-script.ts";

/** Long enough for a press of the button that took the focus. */
const PAUSE_MILLISECONDS = 250;
const FORM = "form[data-promo]";

let timer: ReturnType<typeof setTimeout> | undefined;
let lastLooked = "";

/**
 * Looks at the code of a form when its box is left, and when another plan is chosen: not at every key, because half a code
 * would count as a wrong one.
 */
export function lookAtCodes(): void {
  document.addEventListener("focusout", ({ target, relatedTarget }) => {
    // Whoever is about to press a button of the form gets an answer from that.
    if (isIn(target, "code") && !(relatedTarget instanceof HTMLButtonElement)) lookSoon(target.form);
  });
  document.addEventListener("input", ({ target }) => {
    if (!isIn(target, "code")) return;
    // Also when the letter is taken back: what was said of the code is gone.
    lastLooked = "";
    previewOf(target.form)?.replaceChildren();
  });
  document.addEventListener("change", ({ target }) => {
    if (isIn(target, "tier")) lookSoon(target.form);
  });
}

type Field = HTMLInputElement & { form: HTMLFormElement };

function isIn(target: EventTarget | null, name: string): target is Field {
  return target instanceof HTMLInputElement && target.name === name && (target.form?.matches(FORM) ?? false);
}

function previewOf(form: HTMLFormElement): Element | null {
  return form.querySelector("[data-preview]");
}

function lookSoon(form: HTMLFormElement): void {
  clearTimeout(timer);
  const query = queryOf(form);
  if (query === null || query === lastLooked) return;
  timer = setTimeout(() => {
    // Sent meanwhile: the answer says more.
    if (form.ariaBusy === "true") return;
    lastLooked = query;
    look(form, query).catch(() => {
      lastLooked = "";
    });
  }, PAUSE_MILLISECONDS);
}

/** What is asked about the code in the form; `null` without one. */
function queryOf(form: HTMLFormElement): string | null {
  const fields = new FormData(form);
  const code = String(fields.get("code") ?? "").trim();
  return code === "" ? null : `${new URLSearchParams({ code, tier: String(fields.get("tier") ?? "") })}`;
}

async function look(form: HTMLFormElement, query: string): Promise<void> {
  const answer = await fetch(`/promo/check?${query}`, {
    headers: { [SENT_BY_SCRIPT]: "1", ...accountHeaders(form) },
  });
  // A process of an earlier release, during an upgrade, answers what is no part of a page.
  if (!answer.ok || !answer.headers.get("Content-Type")?.startsWith("text/html"))
    throw new Error(`The answer is ${answer.status}`);
  const said = document.createRange().createContextualFragment(await answer.text());
  // Only what is about the form as it is now, and where nothing else is said of its code.
  if (queryOf(form) !== query || form.ariaBusy === "true" || form.querySelector('[aria-invalid="true"]'))
    return;
  previewOf(form)?.replaceChildren(said);
}
