import { request } from "node:http";
import { expect, test } from "vitest";
import { readHead } from "../../../test/head.ts";
import { setupServer } from "../../../test/server.fixture.ts";
import { ALL_PUBLIC_PAGES } from "../blog/posts.server.ts";
import { PUBLIC_PAGES } from "../pages.ts";

const ORIGIN = "https://own.example";
const server = setupServer({
  NODE_ENV: "production",
  PUBLIC_ORIGIN: ORIGIN,
  PRODUCT_NAME: "Worte & Co",
  SUPPORT_EMAIL: "help@own.example",
});

/** As it arrives behind a proxy that ends TLS and passes on whatever host it was asked for. */
function get(path: string): Promise<{ status: number; type: string; cache: string; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ port: server.port, path, headers: { host: "evil.example" } }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString();
      const { "content-type": type = "", "cache-control": cache = "" } = response.headers;
      resolve({ status: response.statusCode ?? 0, type, cache, text });
    });
    sent.once("error", reject).end();
  });
}

async function pathsInSitemap(): Promise<string[]> {
  const { text } = await get("/sitemap.xml");
  return [...text.matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url = ""]) => {
    expect(URL.parse(url)?.origin).toBe(ORIGIN);
    return new URL(url).pathname;
  });
}

test.each([
  ["/sitemap.xml", "application/xml; charset=utf-8"],
  ["/robots.txt", "text/plain; charset=utf-8"],
  ["/llms.txt", "text/plain; charset=utf-8"],
  ["/.well-known/security.txt", "text/plain; charset=utf-8"],
  ["/manifest.webmanifest", "application/manifest+json; charset=utf-8"],
])("%s is served as %s, may be kept an hour, and names no other host", async (path, expected) => {
  const { status, type, cache, text } = await get(path);
  expect([status, type, cache]).toEqual([200, expected, "public, max-age=3600"]);
  expect(text).not.toMatch(/evil\.example|http:\/\/(?!www\.sitemaps\.org\/)/);
});

test("the sitemap lists every public page once, and each one agrees on its address", async () => {
  const paths = await pathsInSitemap();
  expect(paths).toEqual(ALL_PUBLIC_PAGES.map(({ path }) => path));
  for (const path of paths) {
    const { status, text } = await get(path);
    const { canonical, meta } = readHead(text);
    expect([status, canonical, meta["og:url"]]).toEqual([200, ORIGIN + path, ORIGIN + path]);
    expect(meta["og:image"]).toMatch(/^https:\/\/own\.example\/og\/[a-z/-]+\.png$/);
    expect(text).not.toContain("evil.example");
  }
});

test("robots.txt keeps crawlers from the account and from no page of the sitemap", async () => {
  const lines = (await get("/robots.txt")).text.split("\n");
  expect(lines[0]).toBe("User-agent: *");
  expect(lines).toContain(`Sitemap: ${ORIGIN}/sitemap.xml`);
  const disallowed = lines.flatMap((line) => /^Disallow: (\/.+)$/.exec(line)?.[1] ?? []);
  const isDisallowed = (path: string) => disallowed.some((prefix) => path.startsWith(prefix));
  for (const path of ["/subscription", "/dashboard", "/test-promo", "/sandbox/mail", "/webhooks/stripe"]) {
    expect([path, isDisallowed(path)]).toEqual([path, true]);
  }
  for (const path of [...(await pathsInSitemap()), "/og/home.png", "/llms.txt"]) {
    expect([path, isDisallowed(path)]).toEqual([path, false]);
  }
});

test("llms.txt has the form of llmstxt.org, says it is a beta, and links to pages that are there", async () => {
  const { text } = await get("/llms.txt");
  expect(text).toMatch(/^# Worte & Co\n\n> .+\n\n.*beta, phase 1.*\n\n## Pages\n\n- /);
  expect(text).toContain("There is no mobile app yet.");
  // In production without payment keys nothing can be bought.
  expect(text).toContain("No plans are on sale right now.");
  const links = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S/gm)].map(([, url = ""]) => url);
  expect(links.length).toBe(PUBLIC_PAGES.length);
  for (const url of links) {
    expect(url.startsWith(`${ORIGIN}/`)).toBe(true);
    expect((await get(new URL(url).pathname)).status).toBe(200);
  }
});

test("security.txt can be written to, and expires in less than a year (RFC 9116)", async () => {
  const lines = (await get("/.well-known/security.txt")).text.trimEnd().split("\n");
  const fields = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 2)]),
  );
  expect(fields).toMatchObject({
    Contact: expect.stringMatching(/^mailto:\S+@\S+$/),
    Canonical: `${ORIGIN}/.well-known/security.txt`,
    "Preferred-Languages": "en",
  });
  expect(fields.Expires).toMatch(/^\d{4}-\d\d-\d\dT00:00:00\.000Z$/);
  const daysLeft = (Date.parse(fields.Expires ?? "") - Date.now()) / (24 * 60 * 60 * 1000);
  expect(daysLeft).toBeGreaterThan(30);
  expect(daysLeft).toBeLessThan(365);
});

test("the manifest has the product's name, and every icon it lists is there", async () => {
  const manifest = JSON.parse((await get("/manifest.webmanifest")).text);
  expect(manifest).toMatchObject({ name: "Worte & Co", short_name: "Worte & Co", start_url: "/" });
  for (const { src, type } of manifest.icons) {
    expect([src, (await get(src)).type]).toEqual([src, type]);
  }
  const purposes = manifest.icons.map(({ sizes, purpose = "any" }: Record<string, string>) => [
    sizes,
    purpose,
  ]);
  expect(purposes).toEqual(expect.arrayContaining([["512x512", "maskable"]]));
});
