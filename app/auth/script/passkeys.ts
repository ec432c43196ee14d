import { createNotice } from "../../ui/script/notice.ts";
import { COULD_NOT_REACH } from "../../ui/what-failed.ts";
import type { Asked } from "../second-factor/ask-passkey.ts";

type Purpose = "sign_in" | "confirm" | "add";

/** Asks the browser's passkeys: a script of its own, which the forms name, since few pages need it. */
interface PasskeyScript {
  askPasskey(purpose: Purpose): Promise<Asked>;
}

let loading: Promise<PasskeyScript> | undefined;
let failures = 0;

/**
 * Shows the forms that need a passkey (`data-passkey`), and has the browser ask for one when they are sent: the form then
 * goes on its way with what the passkey said.
 */
export function watchPasskeyForms(): void {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || form.dataset.passkey === undefined) return;
    const field = form.elements.namedItem("passkey");
    // What the passkey said is there: now the form is sent like others.
    if (!(field instanceof HTMLInputElement) || field.value !== "") return;
    event.preventDefault();
    if (form.ariaBusy !== "true") void ask(form, field);
  });
}

async function ask(form: HTMLFormElement, field: HTMLInputElement): Promise<void> {
  for (const notice of document.querySelectorAll('main [role="alert"]')) notice.remove();
  const name = form.elements.namedItem("name");
  if (name instanceof HTMLInputElement && name.value.trim() === "") name.value = name.defaultValue;
  form.ariaBusy = "true";
  const asked = await load(form).then(
    ({ askPasskey }) => askPasskey(form.dataset.passkey as Purpose),
    (): Asked => ({ problem: COULD_NOT_REACH }),
  );
  form.ariaBusy = null;
  if ("problem" in asked) return form.before(createNotice("bad", [asked.problem]));
  field.value = asked.passkey;
  form.requestSubmit();
  // Once: another press asks anew.
  field.value = "";
}

/** Until there is a script, nobody is offered what only a script can do. */
export function showPasskeyForms(): void {
  for (const form of document.querySelectorAll<HTMLElement>("form[data-passkey][hidden]")) {
    form.hidden = false;
    load(form).catch(() => {});
  }
}

/** The same for all forms. A page remembers of an address that it failed, so that another try needs another address. */
function load(form: HTMLElement): Promise<PasskeyScript> {
  const { passkeyScript = "" } = form.dataset;
  const address = failures === 0 ? passkeyScript : `${passkeyScript}?again=${failures}`;
  loading ??= import(/* @vite-ignore */ address).catch((error: unknown) => {
    failures++;
    loading = undefined;
    throw error;
  });
  return loading;
}
