/** The hot-reload event of server code: see vite.reload.ts. */
export const SERVER_CODE_CHANGED = "site:server-code-changed";

/** A script for pages without scripts, in development only: reloads the page when server code has changed. */
export function reloadScript(renderedAt = Date.now()): string {
  return [
    'import { createHotContext } from "/@vite/client";',
    `createHotContext("/reload").on("${SERVER_CODE_CHANGED}", (changedAt) => {`,
    `if (changedAt > ${renderedAt}) location.reload();`,
    "});",
  ].join("");
}
