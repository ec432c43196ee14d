/** Told to the document after a part of the page was replaced. */
export const SWAPPED = "swapped";

/** @returns the page of an answer, or the part of one; `null` for what is not ours, such as a proxy's page */
export async function readPage(answer: Response): Promise<Document | null> {
  if (!answer.headers.get("Content-Type")?.startsWith("text/html")) return null;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  if (!page.querySelector("main, body > [data-part]")) return null;
  // Parsed as if there were no scripts: what it does without them, such as loading itself again, it must not do here.
  for (const element of page.querySelectorAll("noscript")) element.remove();
  return page;
}

/**
 * Shows a fetched page in place of the one that is open: one part of it, or all between header and footer.
 *
 * @param part the `data-part` of what is to change; all, if one of the pages has no such part
 * @returns what has been put there
 */
export function showPage(page: Document, part?: string): Element | null {
  const selector = part ? `[data-part="${part}"]` : "main";
  const [next, present] = [page.querySelector(selector), document.querySelector(selector)];
  if (!next || !present) return part ? showPage(page) : null;
  present.replaceChildren(...next.childNodes);
  if (!part) document.title = page.title;
  document.dispatchEvent(new Event(SWAPPED));
  return present;
}
