/**
 * Loaded into a process of the site by `bench/rendered.ts`: keeps the last page that the site rendered, and renders just that, by the
 * same function of React, for whoever asks BARE_PORT: no router, no data to ask for, no headers but the same ones.
 *
 * Without a router: `<ServerRouter>` is called once, when the page is kept, and makes its routes then. The contexts that it
 * leaves around the page stay, because the page's links read from them which address they are on.
 */
import { subscribe } from "node:diagnostics_channel";
import { createServer } from "node:http";
import { brotliCompressSync, constants } from "node:zlib";

interface Page {
  props: { children: { type(props: unknown): unknown; props: unknown } };
}

interface Rendered {
  page: Page;
  render(page: unknown): string;
}

let last: { page: unknown; render(page: unknown): string } | undefined;
subscribe("page", (message) => {
  const { page, render } = message as Rendered;
  const { type: serverRouter, props } = page.props.children;
  last = { page: { ...page, props: { ...page.props, children: serverRouter(props) } }, render };
});

createServer((request, response) => {
  if (!last) {
    response.writeHead(503).end();
    return;
  }
  const html = Buffer.from(`<!DOCTYPE html>${last.render(last.page)}`);
  const isCompressed = request.headers["accept-encoding"]?.includes("br") === true;
  const params = { [constants.BROTLI_PARAM_QUALITY]: 4 };
  const body = isCompressed ? brotliCompressSync(html, { params }) : html;
  response
    .writeHead(200, {
      "Content-Type": "text/html; charset=utf-8",
      ...(isCompressed && { "Content-Encoding": "br" }),
      "Content-Length": body.byteLength,
    })
    .end(body);
}).listen(Number(process.env.BARE_PORT), "127.0.0.1");
