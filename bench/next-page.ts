import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import packedChromium from "@sparticuz/chromium";

const FROM = "/pricing";
const TO = "/faq";
const LONGEST_MILLISECONDS = 60_000;
const ASSISTANT = "/bench";

/** Reported by the pages, in milliseconds since 1970. */
interface Told {
  what: "pressed" | "painted";
  at: number;
  /** Whether the page had been prerendered. */
  wasPrerendered?: boolean;
}

/**
 * On the first page the script presses the link once the next page is prerendered. On the next page it reports when it was shown
 * and when its largest paint was: a prerendered page is painted when it is shown.
 */
const SCRIPT = `<script type="module">
const tell = (told) => fetch("${ASSISTANT}/told", { method: "POST", keepalive: true, body: JSON.stringify(told) });
if (location.pathname === "${FROM}") {
  await fetch("${ASSISTANT}/press");
  tell({ what: "pressed", at: performance.timeOrigin + performance.now() });
  document.querySelector('a[href="${TO}"]').click();
} else {
  if (document.prerendering) fetch("${ASSISTANT}/ready");
  new PerformanceObserver((list) => {
    const { activationStart } = performance.getEntriesByType("navigation")[0];
    const at = performance.timeOrigin + list.getEntries().at(-1).startTime;
    tell({ what: "painted", at, wasPrerendered: activationStart > 0 });
  }).observe({ type: "largest-contentful-paint", buffered: true });
}
</script>`;

/**
 * The time from the press of a link to the largest paint of the next page, which the browser has prerendered.
 *
 * Browsers prerender when the mouse moves over a link, which takes a debugger. So a proxy in front of the site tells the browser
 * to prerender that page at once, and adds a script to both pages.
 *
 * @param siteUrl the site's home page
 * @returns milliseconds
 * @throws when the page was not prerendered
 */
export async function nextPage(siteUrl: string, folder: string, round: number): Promise<number> {
  const told: Told[] = [];
  const { promise: isReady, resolve: ready } = Promise.withResolvers<void>();
  const { promise: isPainted, resolve: painted } = Promise.withResolvers<void>();
  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${FROM}`;
  const browser = await openBrowser(url, join(folder, `profile-${round}`));
  const timeout = AbortSignal.timeout(LONGEST_MILLISECONDS);
  try {
    await Promise.race([isPainted, once(timeout, "abort")]);
  } finally {
    browser.kill("SIGKILL");
    server.closeAllConnections();
    server.close();
  }
  const [press, paint] = [
    told.find(({ what }) => what === "pressed"),
    told.find(({ what }) => what === "painted"),
  ];
  if (!press || !paint?.wasPrerendered)
    throw new Error(`no prerendered page was shown: ${JSON.stringify(told)}`);
  return paint.at - press.at;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url ?? "/";
    if (path === `${ASSISTANT}/ready`) ready();
    if (path === `${ASSISTANT}/press`) await isReady;
    if (path === `${ASSISTANT}/told`) {
      told.push(JSON.parse(await text(request)));
      if (told.at(-1)?.what === "painted") painted();
    }
    if (path.startsWith(ASSISTANT)) return void response.writeHead(204).end();
    await passOn(siteUrl, path, response);
  }
}

async function passOn(siteUrl: string, path: string, response: ServerResponse): Promise<void> {
  const answer = await fetch(new URL(path, siteUrl));
  const body = Buffer.from(await answer.arrayBuffer());
  const type = answer.headers.get("Content-Type") ?? "";
  const rules = answer.headers.get("Speculation-Rules");
  response.writeHead(answer.status, { "Content-Type": type, ...(rules && { "Speculation-Rules": rules }) });
  if (type.startsWith("text/html")) response.end(body.toString().replace("</body>", `${SCRIPT}</body>`));
  else if (path === "/speculation-rules.json") response.end(withoutRest(body.toString()));
  else response.end(body);
}

/** The site's speculation rules for that page, without waiting for the mouse. */
function withoutRest(rules: string): string {
  const [rule] = JSON.parse(rules).prerender;
  const where = { and: [rule.where, { href_matches: TO }] };
  return JSON.stringify({ prerender: [{ ...rule, where, eagerness: "immediate" }] });
}

async function openBrowser(url: string, profile: string): Promise<ChildProcess> {
  const flags = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--window-size=1280,900"];
  return spawn(await packedChromium.executablePath(), [...flags, `--user-data-dir=${profile}`, url], {
    stdio: "ignore",
  });
}
