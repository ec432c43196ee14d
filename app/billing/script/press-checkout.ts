import { type KeptToken, keepToken } from "../../tokens/kept-token.ts";
import { createNotice } from "../../ui/script/notice.ts";
import { setPending } from "../../ui/script/pending.ts";
import { readPage, showPage } from "../../ui/script/swap.ts";
import { callCreateCheckoutSession } from "../call-checkout.ts";
import { BILLING_MESSAGES } from "../plans.ts";

const FORM = "form[data-checkout]";

/** Submits the chosen price to the callable function instead of the form, so that a failure keeps the page. */
export function pressCheckout(): void {
  if (!document.querySelector(FORM)) return;
  const leaving = new AbortController();
  const kept = keepToken(leaving.signal);
  kept.prepare();
  for (const event of ["pointerover", "focusin"])
    document.addEventListener(event, ({ target }) => {
      if (target instanceof Element && target.closest(FORM)) kept.prepare();
    });
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !form.matches(FORM)) return;
    event.preventDefault();
    if (!document.querySelector(`${FORM}[aria-busy="true"]`)) void start(form, kept);
  });
}

async function start(form: HTMLFormElement, kept: KeptToken): Promise<void> {
  const button = form.querySelector<HTMLElement>("button[data-pending]");
  const price = String(new FormData(form).get("price"));
  const origin = form.closest<HTMLElement>("[data-origin]")?.dataset.origin ?? location.origin;
  for (const failure of document.querySelectorAll('[data-part="plans"] [role="alert"]')) failure.remove();
  form.ariaBusy = "true";
  setPending(button, true);
  const answer = await callCreateCheckoutSession(price, origin, kept.current());
  if ("url" in answer) return location.assign(answer.url);
  // The session ended, or became another account's, while the page was open, or this browser has no app-check token: the form knows what to do.
  if (answer.code === "unauthenticated") return form.submit();
  form.ariaBusy = null;
  setPending(button, false);
  // The price is no longer on sale, so the plans shown are out of date.
  if (answer.code === "not-found") await showPlansAnew();
  showFailure(price, answer.message);
}

async function showPlansAnew(): Promise<void> {
  try {
    const page = await readPage(await fetch(location.href));
    if (page) showPage(page, "plans");
  } catch {
    // The failure is said in any case.
  }
}

/** Below the button that was pressed; above the plans for a price that has left the page. */
function showFailure(price: string, message: string): void {
  const { checkoutFailed } = BILLING_MESSAGES;
  const notice = createNotice("bad", message === checkoutFailed ? [message] : [checkoutFailed, message]);
  const button = document
    .querySelector(`${FORM} input[name="price"][value="${CSS.escape(price)}"]`)
    ?.closest("form")
    ?.querySelector("button");
  if (button) button.after(notice);
  else document.querySelector('[data-part="plans"]')?.prepend(notice);
}
