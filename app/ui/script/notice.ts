/** A notice as `Notice` draws it, with lines of text; the first of several is what it is about. */
export function createNotice(tone: "bad" | "plain", lines: readonly string[], code?: string): HTMLElement {
  const notice = document.createElement("div");
  notice.role = tone === "bad" ? "alert" : "status";
  notice.className = `border-l-[6px] ${tone === "bad" ? "border-coral" : "border-label"} bg-sheet px-4 py-3 w-full`;
  if (code) notice.dataset.code = code;
  for (const [index, line] of lines.entries()) {
    const paragraph = document.createElement("p");
    paragraph.textContent = line;
    if (index === 0 && lines.length > 1) paragraph.className = "font-semibold";
    notice.append(paragraph);
  }
  return notice;
}
