import { expect, test } from "vitest";
import { toHtml } from "./email-template.server.tsx";
import { MESSAGE, SITE } from "./message.fixture.ts";
import { toPlainText } from "./plain-text.ts";

test("what people typed is text", () => {
  const evil = `</style><img src=x onerror="alert(1)">&amp;`;
  const html = toHtml(
    { ...SITE, product: evil },
    {
      ...MESSAGE,
      subject: evil,
      paragraphs: [evil],
      action: { label: evil, url: `https://own.example/?q=${evil}` },
      footnotes: [{ text: evil, link: { label: evil, url: "https://own.example/" } }],
    },
  );
  expect(html).not.toContain("<img");
  expect(html).toContain("&lt;/style&gt;&lt;img src=x onerror=&quot;alert(1)&quot;&gt;&amp;amp;");
});

test("fetches nothing, runs nothing and says what it is", () => {
  const html = toHtml(SITE, MESSAGE);
  expect(html).toMatch(/^<!doctype html><html lang="en">/);
  expect(html).toContain("<title>Confirm your place on the waitlist</title>");
  expect(html).not.toMatch(/<(img|link|script|iframe)|url\(|@import/);
});

test("an inbox shows its first sentence beside the subject", () => {
  expect(toHtml(SITE, MESSAGE)).toMatch(
    /<body[^>]*><div style="display:none">Somebody, hopefully you, asked/,
  );
});

test("names who sends it, where that is set", () => {
  const company = { company: "Penny & Co", companyAddress: "1 Example Street" };
  expect(toHtml({ ...SITE, ...company }, MESSAGE)).toContain("Penny &amp; Co, 1 Example Street");
  expect(toPlainText({ ...SITE, ...company }, MESSAGE)).toMatch(/\nPenny & Co, 1 Example Street$/);
});

test("names the address of its button for those who see no buttons", () => {
  const html = toHtml(SITE, MESSAGE);
  expect(html).toContain(">Confirm my place</a>");
  expect(html).toContain(">https://own.example/waitlist/confirm?token=abc</a>");
});
