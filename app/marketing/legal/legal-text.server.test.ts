import { expect, test } from "vitest";
import { routeFiles } from "../../../test/entrances.ts";
import { readConfig } from "../../config/config.server.ts";
import { REFUND_PROMISE } from "../../ui/offer.ts";
import { renderLegalText } from "./legal-text.server.ts";
import privacy from "./privacy.md?raw";
import terms from "./terms.md?raw";

const OWN = readConfig({
  AUTH_SECRET: "x".repeat(32),
  SANDBOX: "public",
  PUBLIC_ORIGIN: "https://money.example",
});
const WITH_WIDGET = { ...OWN, waitlistWidget: { scriptUrl: "https://list.example/w.js", styleUrl: null } };
const PATHS = routeFiles().map(({ path }) => path);

for (const [name, source] of Object.entries({ privacy, terms })) {
  for (const [waitlist, config] of Object.entries({ own: OWN, "third-party": WITH_WIDGET })) {
    test(`${name} with the ${waitlist} waitlist: settings filled in, sections reached, links alive`, () => {
      const { summary, body, sections } = renderLegalText(source, config);
      expect(summary).toMatch(/^<ul class="list">/);
      expect(summary.match(/<li>/g)?.length).toBeGreaterThanOrEqual(4);
      expect(summary + body).not.toMatch(/[{}]|%7B|undefined/);

      const ids = idsIn(body);
      expect(ids).toEqual(expect.arrayContaining(sections.map(({ id }) => id)));
      expect(new Set(ids).size).toBe(ids.length);
      expect(ids).not.toContain("");

      const hrefs = Array.from((summary + body).matchAll(/href="([^"]*)"/g), ([, href]) => href ?? "");
      expect(hrefs).toContain(`mailto:${config.site.supportEmail}`);
      for (const href of hrefs.filter((href) => !/^(https|mailto):/.test(href))) {
        const [path = "", id] = href.split("#");
        if (path) expect(PATHS).toContain(path);
        if (id) expect(path === "" ? ids : idsAt(path)).toContain(id);
      }
    });
  }
}

function idsAt(path: string): string[] {
  const source = { "/privacy": privacy, "/terms": terms }[path] ?? "";
  return idsIn(renderLegalText(source, OWN).body);
}

function idsIn(body: string): string[] {
  return Array.from(body.matchAll(/ id="([^"]*)"/g), ([, id]) => id ?? "");
}

test("what only the third-party waitlist needs is said only with it", () => {
  const alone = renderLegalText(privacy, OWN);
  const withWidget = renderLegalText(privacy, WITH_WIDGET);
  expect(alone.body).not.toContain("waitlist form");
  expect(withWidget.body).toContain("run by another company, at list.example.");
  expect(withWidget.sections.length).toBe(alone.sections.length + 1);
  expect(renderLegalText(terms, OWN).body).toContain("you move up five places");
  expect(renderLegalText(terms, WITH_WIDGET).body).not.toContain("five places");
});

test("the terms lead to withdrawing on the site unless that is off, and to other ways in any case", () => {
  const off = { ...OWN, site: { ...OWN.site, withdrawal: false } };
  expect(renderLegalText(terms, OWN).body).toContain('href="/subscription/withdraw"');
  expect(renderLegalText(terms, off).body).not.toContain("/subscription/withdraw");
  for (const config of [OWN, off])
    expect(renderLegalText(terms, config).body).toMatch(/clear\s+statement will do/);
});

test("the texts name who makes the product where that is set, and its address", () => {
  const site = { ...OWN.site, company: "Penny & Co", companyAddress: "1 Example Street, Springfield" };
  for (const source of [privacy, terms]) {
    const { body } = renderLegalText(source, { ...OWN, site });
    expect(body).toContain("Penny &amp; Co");
    expect(body).toContain("Our postal address is 1 Example Street, Springfield.");
    expect(body).not.toContain("the people who run");
    expect(renderLegalText(source, OWN).body).not.toContain("postal address");
    expect(renderLegalText(source, OWN).body).toContain("the people who run");
  }
});

test("the refund that the pages promise is the one the terms do", () => {
  const { summary, body } = renderLegalText(terms, OWN);
  expect(summary).toContain(REFUND_PROMISE);
  expect(body.slice(body.indexOf('id="refunds"'))).toContain(REFUND_PROMISE);
});

test("a setting is inserted as text, even if it looks like HTML or Markdown", () => {
  const product = `<b>"Penny" & *Co* [a](javascript:b) &lt; {origin}`;
  const { summary } = renderLegalText("updated: 2026-11-21\n\n{product}\n\n# A\n", {
    ...OWN,
    site: { ...OWN.site, product },
  });
  expect(summary).toBe("<p>&lt;b&gt;&quot;Penny&quot; &amp; *Co* [a](javascript:b) &amp;lt; {origin}</p>\n");
});

test("the date is the first line's", () => {
  expect(renderLegalText("updated: 2026-02-28\n\n# A\n", OWN).updated).toEqual(new Date("2026-02-28"));
});

test.each([
  ["no date", "# A\n", "day of its last change"],
  ["an unknown setting", "updated: 2026-11-21\n\n# A\n\n{phone}\n", "a setting there is not: phone"],
  [
    "an unknown condition",
    "updated: 2026-11-21\n\n# A\n\n{?phone} Call us.\n",
    "a setting there is not: phone",
  ],
  ["HTML", "updated: 2026-11-21\n\n# A\n\n<script>alert(1)</script>\n", "no HTML"],
  ["HTML in a line", "updated: 2026-11-21\n\n# A\n\nA <b>word</b>.\n", "no HTML"],
])("refuses a text with %s", (_, source, message) => {
  expect(() => renderLegalText(source, OWN)).toThrow(message);
});
