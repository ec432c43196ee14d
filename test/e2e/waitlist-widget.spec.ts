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

/** Serves files by path, each with its type. @returns its origin, and what was asked of it */
async function serveFiles(files: (origin: string) => Record<string, [type: string, text: string]>) {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const [type, text] = files(origin)[request.url ?? ""] ?? ["text/plain", ""];
    response.writeHead(200, { "Content-Type": type, "Access-Control-Allow-Origin": "*" }).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, asked, close: () => server.close() };
}

test("a widget that fills an element of its own by name, with inline styles and data from another host, works by settings", async ({
  page,
}) => {
  test.setTimeout(90_000);
  const api = await serveFiles(() => ({ "/list/abc": ["application/json", '{"title":"12 people wait"}'] }));
  const cdn = await serveFiles(() => ({
    "/w.js": [
      "text/javascript",
      `const box = document.getElementById("getlist");
       fetch("${api.origin}/list/" + box.dataset.list_id).then((answer) => answer.json()).then(({ title }) => {
         box.innerHTML = '<style>.theirs { letter-spacing: 3px }</style><p class="theirs" style="color: rgb(9, 8, 7)">' + title + "</p>";
       });`,
    ],
  }));
  const settings = {
    WAITLIST_WIDGET_SCRIPT_URL: `${cdn.origin}/w.js`,
    WAITLIST_WIDGET_ID: "getlist",
    WAITLIST_WIDGET_ATTRIBUTES: "class=theirs-box&data-list_id=abc",
    WAITLIST_WIDGET_CONNECT_HOSTS: api.origin,
    WAITLIST_WIDGET_INLINE_STYLES: "on",
  };
  const server = await startServer(settings);
  try {
    for (const path of PAGES_WITH_WAITLIST) {
      const response = await page.goto(server.origin + path);
      expect(response?.headers()["content-security-policy"]).not.toMatch(/script-src[^;]*unsafe/);
      const theirs = page.getByText("12 people wait");
      await expect(theirs).toHaveCSS("color", "rgb(9, 8, 7)");
      await expect(theirs).toHaveCSS("letter-spacing", "3px");
      await expect(page.locator("#getlist")).toHaveClass("theirs-box");
      // Ours still apply.
      await expect(page.locator("h1")).toHaveCSS("font-weight", "700");
    }
    const other = (await page.request.get(`${server.origin}/faq`)).headers()["content-security-policy"];
    expect(other).not.toContain("unsafe-inline");
  } finally {
    await server.stop();
    cdn.close();
    api.close();
  }
});

test("a widget that shows another origin in a frame and hears its messages works by settings", async ({
  page,
}) => {
  test.setTimeout(90_000);
  const forms = await serveFiles(() => ({
    "/form": ["text/html", `<p>Their form</p><script>parent.postMessage({ height: 321 }, "*")</script>`],
  }));
  const cdn = await serveFiles(() => ({
    "/embed.js": [
      "text/javascript",
      `const place = document.currentScript.parentElement.querySelector("[data-form]");
       const frame = document.createElement("iframe");
       addEventListener("message", (event) => {
         if (event.origin === "${forms.origin}") frame.style.height = event.data.height + "px";
       });
       frame.src = "${forms.origin}/" + place.dataset.form;
       place.append(frame);`,
    ],
  }));
  const server = await startServer({
    WAITLIST_WIDGET_SCRIPT_URL: `${cdn.origin}/embed.js`,
    WAITLIST_WIDGET_ATTRIBUTES: "data-form=form",
    WAITLIST_WIDGET_FRAME_HOSTS: forms.origin,
  });
  try {
    for (const path of PAGES_WITH_WAITLIST) {
      await page.goto(server.origin + path);
      await expect(page.frameLocator("iframe").getByText("Their form")).toBeVisible();
      await expect(page.locator("iframe")).toHaveCSS("height", "321px");
    }
  } finally {
    await server.stop();
    cdn.close();
    forms.close();
  }
});

test("without the settings no policy names a foreign host", async ({ page, server }) => {
  for (const path of [...PUBLIC_PAGES, "/login", "/waitlist/leave"]) {
    const policy = (await page.request.get(path)).headers()["content-security-policy"] ?? "";
    expect(policy).toMatch(/^default-src '(none|self)';/);
    expect(policy.replaceAll(server.origin, "")).not.toContain("http");
  }
});
