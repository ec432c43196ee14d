import { globSync, readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { createOperator } from "../../../test/operator.ts";
import { sharedServer } from "../../../test/server.fixture.ts";
import { SITE } from "../../../test/site.ts";
import { get, type Person } from "../../../test/users.ts";
import { SAMPLES } from "./samples.ts";

const server = sharedServer();
let operator: Person;

beforeAll(async () => {
  operator = await createOperator(server.pool);
});

const samples = Object.values(SAMPLES).flat();

/** The shape of several mails, each with a sample of its own. */
const SHAPES = ["securityMessage"];

test("every function that writes a mail has a sample in samples.ts", () => {
  const written = globSync("app/**/*.ts", { exclude: (path) => path.includes(".test.") }).flatMap((path) =>
    [
      ...readFileSync(path, "utf8").matchAll(/^export function (\w+)\((?:(?!^\})[\s\S])*?\): Message \{/gm),
    ].map(([, name]) => name),
  );
  expect(written.length).toBeGreaterThan(20);
  const missing = written.filter(
    (name) => !SHAPES.includes(String(name)) && !samples.some((sample) => sample.name === name),
  );
  expect(missing, "add a sample of each to app/admin/mail/samples.ts").toEqual([]);
});

test("of all mails, those of the contact form are a person's; every other says that no person wrote it", () => {
  const personal = samples.filter(({ write }) => write(SITE).isFromPerson).map(({ name }) => name);
  expect(personal.toSorted()).toEqual(["answerMessage", "forwardedMessage"]);
});

test("each is previewed as HTML in a document that may do nothing, and as text", async () => {
  expect(new Set(samples.map(({ name }) => name)).size).toBe(samples.length);
  const list = await (await get(server, "/admin/mail/templates", operator.cookie)).text();
  for (const { name, write } of samples) {
    expect(list).toContain(`/admin/mail/templates/${name}`);
    const page = await get(server, `/admin/mail/templates/${name}`, operator.cookie);
    expect(page.headers.get("content-security-policy")).toContain("frame-src 'self'");
    expect(await page.text()).toContain(`src="/admin/mail/templates/${name}/html" sandbox=""`);
    const html = await get(server, `/admin/mail/templates/${name}/html`, operator.cookie);
    expect(html.headers.get("content-security-policy")).toMatch(
      /default-src 'none'.*frame-ancestors 'self'.*sandbox/,
    );
    expect(html.headers.get("x-frame-options")).toBeNull();
    expect(await html.text()).toContain("<!doctype html>");
    expect(write(SITE).paragraphs.length).toBeGreaterThan(0);
  }
});

test("an unknown template, mail, message or entry is not found", async () => {
  expect((await get(server, "/admin/mail/templates/toString/html", operator.cookie)).status).toBe(404);
  for (const path of ["mail/templates/toString", "mail/nothing", "messages/nothing", "changelog/nothing"]) {
    const page = await get(server, `/admin/${path}`, operator.cookie);
    expect(page.status, path).toBe(404);
    expect(await page.text(), path).toContain("There is nothing at this address");
  }
});
