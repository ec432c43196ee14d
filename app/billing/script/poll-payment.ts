import { readPage, showPage } from "../../ui/script/swap.ts";
import { secondsToNextPoll } from "../confirm-polling.ts";

/**
 * Asks for the page that waits for a payment (`data-waited`: seconds so far) at growing intervals, until it no longer waits,
 * and shows it then. If the last of them fails too, it says that it has stopped.
 */
export function pollPayment(): void {
  const waited = Number(document.querySelector<HTMLElement>("[data-waited]")?.dataset.waited ?? Number.NaN);
  if (Number.isNaN(waited)) return;
  const since = Date.now();
  schedule();

  function schedule(): void {
    const next = secondsToNextPoll(waited + (Date.now() - since) / 1000);
    setTimeout(poll, (next ?? 0) * 1000);
  }

  async function poll(): Promise<void> {
    const isLast = secondsToNextPoll(waited + (Date.now() - since) / 1000) === null;
    const isOver = await look().catch(() => false);
    if (isOver) return;
    if (isLast) sayStopped();
    else schedule();
  }
}

/** @returns whether the page no longer waits */
async function look(): Promise<boolean> {
  const answer = await fetch(location.href);
  if (!answer.ok) return false;
  const page = await readPage(answer);
  if (!page || page.querySelector("[data-waited]")) return false;
  history.replaceState(null, "", answer.url);
  const focused = document.activeElement;
  const shown = showPage(page);
  if (shown && focused && !focused.isConnected) focusOnSame(shown, focused);
  return true;
}

/** What the server would have said with the last page; it is in this one already. */
function sayStopped(): void {
  const waiting = document.querySelector("[data-waited]");
  const stopped = waiting?.querySelector("template");
  if (waiting && stopped) waiting.replaceChildren(stopped.content);
}

/** Whoever was at a link or a button goes on from the same one; or from the start of what is new. */
function focusOnSame(shown: Element, focused: Element): void {
  const same = [...shown.querySelectorAll<HTMLElement>(focused.localName)].find((each) =>
    each.isEqualNode(focused),
  );
  if (same) same.focus();
  else if (shown instanceof HTMLElement) {
    shown.tabIndex = -1;
    shown.focus({ preventScroll: true });
  }
}
