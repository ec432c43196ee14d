import { html } from "../../page/html.ts";

/** The order is set like a line of a bank statement. */
export const checkoutStyle = html`
dl div { display: flex; align-items: baseline; gap: 0.5rem; padding: 0.35rem 0; }
dl div::before { content: ""; order: 1; flex: 1; min-width: 1rem; border-bottom: 2px dotted var(--rule); }
dd { order: 2; text-align: right; font-variant-numeric: tabular-nums; }
.total { font-weight: 650; }
.notice { margin: 0 0 1.5rem; padding-left: 0.9rem; border-left: 4px solid var(--coral); color: var(--coral); }
form { margin: 0 0 0.75rem; }
.pay { min-height: 52px; border-color: var(--green); background: var(--green); color: var(--on-green); font-weight: 650; }
.decline { border-color: transparent; color: var(--quiet); text-decoration: underline; text-underline-offset: 0.2em; }
`;
