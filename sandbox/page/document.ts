import { type Html, html } from "./html.ts";
import { pageStyle } from "./style.ts";

interface SandboxPage {
  /** Which page of which sandbox, for the tab: `Already paid · Payment sandbox` */
  title: string;
  /** Follows the word Sandbox: what does not happen here. */
  notice: string;
  /** Added to the style of all sandbox pages. */
  style: Html;
  content: Html;
}

/** A whole page of a sandbox: no script, nothing fetched. */
export function sandboxDocument({ title, notice, style, content }: SandboxPage): Html {
  return html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="robots" content="noindex">
    <title>${title}</title>
    <style>${pageStyle}${style}</style>
  </head>
  <body>
    <main>
      <p class="sandbox"><strong>Sandbox</strong> ${notice}</p>
      ${content}
    </main>
  </body>
</html>
`;
}
