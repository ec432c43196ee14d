import { html } from "../../page/html.ts";

/** Close together, so that it all fits the window that opens for it: 500 by 600. */
export const chooserStyle = html`
body { padding: 1.25rem 1.25rem 1.5rem; }
.sandbox { margin-bottom: 1.25rem; }
h1 { margin-bottom: 0.25rem; }
p { margin-bottom: 0.75rem; }
form { margin: 0 0 0.5rem; }
.person { padding: 0.35rem 0.9rem; text-align: left; line-height: 1.35; overflow-wrap: anywhere; }
.person b, .person span { display: block; }
.person span { color: var(--quiet); font-size: 0.9375rem; }
label { display: block; margin: 1rem 0 0.35rem; font-weight: 650; }
.other { display: flex; flex-wrap: wrap; gap: 0.5rem; }
.other input {
  flex: 1 1 12rem; min-width: 0; min-height: 44px; padding: 0.5rem 0.75rem;
  border: 1px solid var(--rule); border-radius: 4px; background: none; color: inherit; font: inherit;
}
.other button { flex: none; width: auto; }
.box { display: flex; align-items: center; gap: 0.6rem; min-height: 44px; margin: 0; font-weight: inherit; }
.box input { width: 1.25rem; height: 1.25rem; margin: 0; accent-color: var(--green); }
.error { margin: 0 0 0.35rem; color: var(--coral); }
.cancel { border-color: transparent; color: var(--quiet); text-decoration: underline; text-underline-offset: 0.2em; }
`;
