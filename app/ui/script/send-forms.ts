import { LEADS_TO, SENT_BY_SCRIPT } from "../sent-by-script.ts";
import { COULD_NOT_REACH, OUR_FAULT } from "../what-failed.ts";
import { showFieldError } from "./field-error.ts";
import { createNotice } from "./notice.ts";
import { setPending } from "./pending.ts";
import { readPage, showPage } from "./swap.ts";

/** What a page does some time after an answer. */
let afterwards: ReturnType<typeof setTimeout> | undefined;

/**
 * Sends forms with `data-send` without leaving the page: the server judges them as it does without scripts, and its page
 * takes the place of the one that is open, or of the part the form is in. What was typed stays when the network fails.
 */
export function sendForms(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.send === undefined || event.defaultPrevented)
      return;
    event.preventDefault();
    if (form.ariaBusy !== "true") void send(form, event.submitter);
  });
  goOnAfter(document);
}

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const button = submitter ?? form.querySelector<HTMLElement>("button[data-pending]");
  clearTimeout(afterwards);
  const body = bodyOf(form, submitter);
  setBusy(form, true);
  setPending(button, true);
  try {
    const { send: ownPath } = form.dataset;
    const first = await post(ownPath || pathOf(form), body);
    // During an upgrade, a process of an earlier release knows the form of the page only.
    const answer = ownPath && first.status === 404 ? await post(pathOf(form), body) : first;
    // From a process of an earlier release, during an upgrade, or from a proxy. Scripts are not told where it leads: the server
    // is asked again for this page, and leads on from it.
    if (answer.type === "opaqueredirect") return location.assign(location.pathname + location.search);
    const next = answer.headers.get(LEADS_TO);
    // The button goes on saying what it does until the next page is there.
    if (next) return location.assign(next);
    const page = await readPage(answer);
    // A proxy's answer, a starting process's, or an error page because ours could not be made: what was typed is worth more.
    if (answer.status >= 500 && !page?.querySelector("form[data-send]")) {
      endSending(form, button);
      sayFailed(form, OUR_FAULT);
      return;
    }
    // Refused before there could be a page: the browser shows what it is.
    if (!page) return sendAsDocument(form, body);
    showAnswer(page, form, button);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    endSending(form, button);
    sayFailed(form, COULD_NOT_REACH);
  }
}

const pathOf = (form: HTMLFormElement) => form.getAttribute("action") ?? location.href;

function post(path: string, body: URLSearchParams): Promise<Response> {
  return fetch(path, { method: "POST", headers: { [SENT_BY_SCRIPT]: "1" }, body, redirect: "manual" });
}

function endSending(form: HTMLFormElement, button: HTMLElement | null): void {
  setBusy(form, false);
  setPending(button, false);
}

function bodyOf(form: HTMLFormElement, submitter: HTMLElement | null): URLSearchParams {
  return new URLSearchParams(
    Array.from(new FormData(form, submitter), ([name, value]) => [name, `${value}`]),
  );
}

/** Sends the same once more, as the browser does without scripts: with the button that was pressed, which `submit` leaves out. */
function sendAsDocument(form: HTMLFormElement, body: URLSearchParams): void {
  const copy = document.createElement("form");
  copy.method = "post";
  copy.action = pathOf(form);
  copy.hidden = true;
  for (const [name, value] of body) {
    const field = document.createElement("input");
    Object.assign(field, { type: "hidden", name, value });
    copy.append(field);
  }
  document.body.append(copy);
  copy.submit();
}

function setBusy(form: HTMLFormElement, isBusy: boolean): void {
  form.ariaBusy = String(isBusy);
  const status = form.querySelector<HTMLElement>("[data-while-sending]");
  if (status) status.textContent = isBusy ? (status.dataset.whileSending ?? "") : "";
}

function showAnswer(page: Document, form: HTMLFormElement, button: HTMLElement | null): void {
  const part = form.closest<HTMLElement>("[data-part]")?.dataset.part;
  const shown = showPage(page, part);
  if (!shown) return;
  putBackSecrets(form, shown);
  focusOn(shown, button);
  goOnAfter(shown, page);
}

/** The server never sends a password or a code back: what was typed goes into the same field again. */
function putBackSecrets(sent: HTMLFormElement, shown: Element): void {
  for (const field of sent.querySelectorAll<HTMLInputElement>("input:not([type=hidden], [type=radio])")) {
    const again = field.id && shown.querySelector<HTMLInputElement>(`input[id="${CSS.escape(field.id)}"]`);
    if (again && again.value === "" && again.type === field.type) again.value = field.value;
  }
}

/** On the first field that was refused; or on what the page is about now; or where the press was. */
function focusOn(shown: Element, button: HTMLElement | null): void {
  const target =
    shown.querySelector<HTMLElement>('[aria-invalid="true"]') ??
    shown.querySelector<HTMLElement>("[autofocus]");
  const again = `button[data-pending="${CSS.escape(button?.dataset.pending ?? "")}"]`;
  (target ?? shown.querySelector<HTMLElement>(again))?.focus();
}

/**
 * Does what the page says it does some seconds after a success: leads on, or shows what has changed in another part.
 *
 * @param page the answer, which has that part already
 */
function goOnAfter(shown: ParentNode, page?: Document): void {
  const { after, leadsTo, thenShow } = shown.querySelector<HTMLElement>("[data-after]")?.dataset ?? {};
  if (after === undefined) return;
  afterwards = setTimeout(() => {
    if (leadsTo) location.assign(leadsTo);
    else if (page) showPage(page, thenShow);
  }, Number(after) * 1000);
}

/** In the field, for a form that has only one; otherwise in a notice above it, which takes the place of earlier ones. */
function sayFailed(form: HTMLFormElement, why: string): void {
  const { failure, failureField } = form.dataset;
  const field = failureField && form.elements.namedItem(failureField);
  if (field instanceof HTMLInputElement) {
    showFieldError(field, failure ?? why);
    field.focus();
    return;
  }
  for (const earlier of document.querySelectorAll('main [role="alert"]')) earlier.remove();
  const notice = createNotice("bad", failure ? [failure, why] : [why]);
  notice.tabIndex = -1;
  form.before(notice);
  notice.focus();
}
