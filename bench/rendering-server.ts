import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { brotliCompressSync, constants } from "node:zlib";
import { createElement, type ReactNode } from "react";
import { renderToString } from "react-dom/server";

/** An element as JSON: its tag, its attributes and its children; or a text. */
export type Drawn = string | [tag: string, attributes: Record<string, string>, children: Drawn[]];

/** Renders a page's elements for every request, and nothing else: no router, no data, no session. */
const [port, file = ""] = process.argv.slice(2);
const page: Drawn = JSON.parse(readFileSync(file, "utf8"));
createServer((_request, response) => {
  const html = `<!DOCTYPE html>${renderToString(elementOf(page))}`;
  const body = brotliCompressSync(html, { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } });
  response.writeHead(200, { "Content-Type": "text/html; charset=utf-8", "Content-Encoding": "br" }).end(body);
}).listen(Number(port), "127.0.0.1");

function elementOf(drawn: Drawn): ReactNode {
  if (typeof drawn === "string") return drawn;
  const [tag, attributes, children] = drawn;
  // React takes the text of these as it is.
  if (tag === "style" || tag === "script")
    return createElement(tag, { ...attributes, dangerouslySetInnerHTML: { __html: children.join("") } });
  return createElement(tag, attributes, ...children.map(elementOf));
}
