import { chromium } from "@playwright/test";
import packedChromium from "@sparticuz/chromium";

/** Reads pages as a browser shows them on a wide screen, with every answer folded out. */
export async function openReader(origin: string) {
  const isLinux = process.platform === "linux";
  const browser = await chromium.launch(
    isLinux
      ? { executablePath: await packedChromium.executablePath(), args: ["--no-sandbox", "--disable-gpu"] }
      : { channel: "chrome" },
  );
  const page = await browser.newPage({
    javaScriptEnabled: false,
    reducedMotion: "reduce",
    viewport: { width: 1280, height: 800 },
  });

  return {
    /** @returns the lines of header and footer, which most pages share, and those of the page itself */
    async read(html: string): Promise<{ frame: string[]; main: string[] }> {
      // With the styles, which say what is seen; without what would lead on to the next page.
      const still = html.replace(/<meta http-equiv="refresh"[^>]*>/gi, "");
      await page.setContent(still.replace("<head>", `<head><base href="${origin}">`));
      return page.evaluate(readLines);
    },
    close: () => browser.close(),
  };
}

/** Runs in the page. Headings have #, buttons [ ], links _ _, choices ( ), fields a line; what only a screen reader says { }. */
function readLines(): { frame: string[]; main: string[] } {
  // What a script shows later, where it will be.
  for (const { content, parentElement } of document.querySelectorAll("template"))
    parentElement?.append(content);
  for (const details of document.querySelectorAll("details")) details.open = true;
  const description = document.querySelector<HTMLMetaElement>('meta[name="description"]')?.content;
  const head = [`Title: ${document.title}`, ...(description ? [`Description: ${description}`] : [])];
  const main = document.querySelector("main") ?? document.body;
  const frame =
    main === document.body ? [] : ["header", "footer"].flatMap((name) => linesOf(`body > ${name}`));
  return { frame, main: [...head, ...toLines(read(main))] };

  function linesOf(selector: string): string[] {
    return toLines([...document.querySelectorAll(selector)].map(read).join("\n"));
  }

  function toLines(text: string): string[] {
    return text
      .split("\n")
      .map((line) => line.replace(/\s+/g, " ").trim())
      .filter(Boolean);
  }

  function read(node: Node): string {
    if (node.nodeType === Node.TEXT_NODE) return (node.textContent ?? "").replace(/\s+/g, " ");
    if (!(node instanceof Element) || node.matches("script, style, template, head")) return "";
    if (!node.checkVisibility({ visibilityProperty: true }) && !node.matches("option")) return "";
    const label = node.getAttribute("aria-label") ?? node.getAttribute("alt");
    const inner = [...node.childNodes].map(read).join("");
    const text = label ? `{${label}} ${inner}` : inner;
    return getComputedStyle(node).display.startsWith("inline") ? mark(node, text) : `\n${mark(node, text)}\n`;
  }

  function mark(node: Element, text: string): string {
    const words = text.trim();
    if (/^H[1-6]$/.test(node.tagName)) return `${"#".repeat(Number(node.tagName[1]))} ${words}`;
    if (node.matches("a")) return `_${words}_`;
    if (node.matches("button")) return `[${words}]`;
    if (node.matches("option")) return `( ${words} ) `;
    if (node.matches("input[type=radio], input[type=checkbox]")) return "( ) ";
    if (node.matches("input:not([type=hidden]), textarea")) return `${text} ____ `;
    return node.matches("li") ? `- ${words}` : text;
  }
}
