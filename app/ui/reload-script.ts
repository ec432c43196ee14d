/** What a developer's server sends to a developer's browser: see vite.reload.ts. */
export const SERVER_CODE_CHANGED = "site:server-code-changed";

/** The script of a page that has none, while developing: it loads the page anew when what rendered it has changed. */
export function reloadScript(renderedAt = Date.now()): string {
  return [
    'import { createHotContext } from "/@vite/client";',
    `createHotContext("/reload").on("${SERVER_CODE_CHANGED}", (changedAt) => {`,
    `if (changedAt > ${renderedAt}) location.reload();`,
    "});",
  ].join("");
}
