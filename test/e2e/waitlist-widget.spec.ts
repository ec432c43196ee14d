import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startServer } from "../server.ts";
import { expect, PUBLIC_PAGES, test } from "./fixtures.ts";

// Browsers would ask the third party first whether it takes a header of ours (CORS).
test.use({ extraHTTPHeaders: {} });

const PAGES_WITH_WAITLIST = ["/", "/pricing", "/waitlist"];

/** A third party on another origin: a script that shows something, with its own styles and a call home. */
async function openThirdParty() {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.setHeader("Access-Control-Allow-Origin", "*");
    if (request.url === "/widget.css") {
      response.setHeader("Content-Type", "text/css").end("#theirs { color: rgb(1, 2, 3); }");
    } else if (request.url === "/widget.js") {
      response.setHeader("Content-Type", "text/javascript").end(`
        const show = async () => {
          const button = document.createElement("button");
          button.id = "theirs";
          button.textContent = await (await fetch(new URL("/label", document.currentScript?.src ?? src))).text();
          document.getElementById("waitlist-widget").append(button);
        };
        const src = document.currentScript.src;
        if (document.readyState === "loading") addEventListener("DOMContentLoaded", show);
        else show();`);
    } else {
      response.end("Get on their list");
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, asked, close: () => server.close() };
}

test("a third party's widget works where the waitlist is, and is named nowhere else", async ({ page }) => {
  const thirdParty = await openThirdParty();
  const server = await startServer({
    WAITLIST_WIDGET_SCRIPT_URL: `${thirdParty.origin}/widget.js`,
    WAITLIST_WIDGET_STYLE_URL: `${thirdParty.origin}/widget.css`,
  });
  try {
    for (const path of PAGES_WITH_WAITLIST) {
      const response = await page.goto(server.origin + path);
      const policy = response?.headers()["content-security-policy"] ?? "";
      const ofTryIt = path === "/" ? "'self' 'sha256-[^']+' " : "";
      expect(policy).toMatch(new RegExp(`script-src ${ofTryIt}${thirdParty.origin};`));
      const theirs = page.getByRole("button", { name: "Get on their list" });
      await expect(theirs).toHaveCSS("color", "rgb(1, 2, 3)");
      // Ours still apply.
      expect(await page.locator("h1").evaluate((heading) => getComputedStyle(heading).fontWeight)).toBe(
        "700",
      );
      await expect(page.getByRole("button", { name: "Join Waitlist" })).toHaveCount(0);
    }
    for (const path of PUBLIC_PAGES.filter(
      (path) => !PAGES_WITH_WAITLIST.includes(path.split("?")[0] ?? ""),
    )) {
      const response = await page.request.get(server.origin + path);
      const policy = response.headers()["content-security-policy"] ?? "";
      expect(policy).toMatch(path === "/why-different" ? /script-src 'self' 'sha256-/ : /script-src 'none'/);
      expect(policy.replaceAll(server.origin, "")).not.toContain("http");
    }
    const sent = await page.request.post(`${server.origin}/waitlist`, {
      headers: { origin: server.origin },
      form: { email: "ada@example.com" },
      maxRedirects: 0,
    });
    expect([sent.status(), sent.headers().location]).toEqual([303, "/waitlist"]);
    expect((await server.pool.query("SELECT FROM waitlist")).rowCount).toBe(0);
  } finally {
    await server.stop();
    thirdParty.close();
  }
  expect(new Set(thirdParty.asked)).toEqual(new Set(["/widget.js", "/widget.css", "/label"]));
});

test("without the settings no policy names a foreign host", async ({ page, server }) => {
  for (const path of [...PUBLIC_PAGES, "/login", "/waitlist/leave"]) {
    const policy = (await page.request.get(path)).headers()["content-security-policy"] ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy.replaceAll(server.origin, "")).not.toContain("http");
  }
});

test("without JavaScript the widget's place says whom to write to", async ({ page }) => {
  const server = await startServer({ WAITLIST_WIDGET_SCRIPT_URL: "http://127.0.0.1:9/widget.js" });
  // As it is sent: with scripts off, the browser under test draws no noscript, unlike one a person turned them off in.
  const html = await (await page.request.get(`${server.origin}/waitlist`)).text();
  await server.stop();
  const [, fallback] = /<noscript>(.*?)<\/noscript>/s.exec(html) ?? [];
  expect(fallback).toContain("Another company runs this list, and it needs JavaScript.");
  expect(fallback).toContain('href="mailto:support@ownwords.example"');
});
