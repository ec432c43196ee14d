#!/usr/bin/env node
/** Starts the sandboxes without a site. Strips the types, because Node runs no TypeScript below node_modules. */
import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";
import { fileURLToPath } from "node:url";

const folder = new URL(".", import.meta.url).href;
registerHooks({
  load(url, context, next) {
    if (!url.startsWith(folder) || !url.endsWith(".ts")) return next(url, context);
    const source = stripTypeScriptTypes(readFileSync(fileURLToPath(url), "utf8"));
    return { format: "module", shortCircuit: true, source };
  },
});
await import("./start.ts");
