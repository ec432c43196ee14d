import { html } from "./html.ts";

/** The style of all sandbox pages: paper and ink. Every pair of colours has a contrast of at least 4.5:1. */
export const pageStyle = html`
:root {
  color-scheme: light dark;
  --paper: light-dark(#fbf7ee, #171511);
  --ink: light-dark(#1c1a15, #f3eddf);
  --quiet: light-dark(#5f584a, #b5ac99);
  --rule: light-dark(#857d6c, #8a8270);
  --label: light-dark(#ffe48a, #f2cf5b);
  --green: light-dark(#17663f, #7ed6a2);
  --on-green: light-dark(#ffffff, #0d2217);
  --coral: light-dark(#a3311c, #ff9d87);
}
/* The site fades from page to page; Chromium reports an error in the console for a page that does not take part. */
@media (prefers-reduced-motion: no-preference) { @view-transition { navigation: auto; } }
* { box-sizing: border-box; }
body {
  margin: 0; padding: 1.5rem 1.25rem 4rem;
  background: var(--paper); color: var(--ink);
  font: 1.0625rem/1.55 system-ui, sans-serif;
}
main { max-width: 30rem; margin: 0 auto; }
.sandbox { margin: 0 0 2.5rem; font-size: 0.9375rem; }
.sandbox strong { background: var(--label); color: #1c1a15; padding: 0.2em 0.55em; margin-right: 0.4em; }
h1 {
  margin: 0 0 0.5rem;
  font: 600 2.125rem/1.1 "Iowan Old Style", "Palatino Nova", "Palatino Linotype", "URW Palladio L", P052, Charter, "Noto Serif", "Source Serif 4", "Liberation Serif", serif;
  letter-spacing: -0.015em; text-wrap: balance; overflow-wrap: anywhere;
}
p { margin: 0 0 1rem; }
.quiet { color: var(--quiet); }
.quiet, dd { overflow-wrap: anywhere; }
dl { margin: 2rem 0 1.5rem; }
dd { margin: 0; }
button, .button {
  display: block; width: 100%; min-height: 44px; padding: 0.65rem 1rem;
  border: 1px solid var(--rule); border-radius: 4px; background: none; color: var(--ink);
  font: inherit; text-align: center; text-decoration: none; cursor: pointer;
}
button:hover, .button:hover { text-decoration: underline; text-underline-offset: 0.2em; }
:focus-visible { outline: 3px solid var(--ink); outline-offset: 3px; }
`;
