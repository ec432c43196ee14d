import { readPage, showPage } from "../../ui/script/swap.ts";
import { secondsToNextPoll } from "../confirm-polling.ts";

/**
 * Asks for the page that waits for a payment (`data-waited`: seconds so far) at growing intervals, until it no longer waits,
 * and shows it then.
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
    if (!isOver && !isLast) schedule();
  }
}

/** @returns whether the page no longer waits */
async function look(): Promise<boolean> {
  const answer = await fetch(location.href);
  if (!answer.ok) return false;
  const page = await readPage(answer);
  if (!page || page.querySelector("[data-waited]")) return false;
  history.replaceState(null, "", answer.url);
  showPage(page);
  return true;
}
