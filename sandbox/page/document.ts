import { type Html, html } from "./html.ts";
import { pageStyle } from "./style.ts";

interface SandboxPage {
  /** Which page of which sandbox, for the tab: `Already paid · Payment sandbox` */
  title: string;
  /** What does not happen here, after the word Sandbox. */
  notice: string;
  /** What only this sandbox's pages need beside what all have. */
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
