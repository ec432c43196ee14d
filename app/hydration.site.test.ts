import { expect, test } from "vitest";
import { pagePaths } from "../test/entrances.ts";
import { postForm } from "../test/http.ts";
import { createOperator } from "../test/operator.ts";
import { sharedServer } from "../test/server.fixture.ts";
import { createPerson, get } from "../test/users.ts";
import { ACCOUNT_FIELD } from "./ui/account-mark.ts";

const server = sharedServer();

/** The parts of the site that React hydrates. */
const HYDRATED =
  /^\/(login|register|logout|forgot-password|reset-password|subscription|dashboard|test-promo|account|verify-email|admin)(\/|$)/;

/** Pages of the console that say so in its frame when what they show is gone. */
const GONE = /^\/admin\/(mail|messages|changelog)\/[^/]*\d[^/]*$/;

/** What an answer lets run, and what it has. */
async function scriptsOf(answer: Response) {
  const policy = answer.headers.get("content-security-policy") ?? "";
  const html = await answer.text();
  return {
    nonce: /'nonce-([^']+)'/.exec(policy)?.[1],
    sources: /script-src ([^;]+)/.exec(policy)?.[1],
    tags: (html.match(/<script\b[^>]*>/g) ?? []).filter((tag) => !tag.includes("application/ld+json")),
    html,
  };
}

test("pages of the account and the console run what has their nonce, a new one each time; others run none of it", async () => {
  const readers = ["", (await createPerson(server.pool)).cookie, (await createOperator(server.pool)).cookie];
  const nonces: string[] = [];
  const hydrated = new Set<string>();
  for (const path of pagePaths()) {
    for (const cookie of readers) {
      const answer = await get(server, path, cookie);
      if (!answer.headers.get("content-type")?.startsWith("text/html")) continue;
      const { nonce, sources, tags } = await scriptsOf(answer);
      if (nonce === undefined) {
        expect([path, sources]).toEqual([path, expect.stringMatching(/^('none'|'self' 'sha256-[^']+')$/)]);
        expect([path, tags.filter((tag) => tag !== '<script type="module">')]).toEqual([path, []]);
        continue;
      }
      expect([path, answer.status]).toEqual([path, GONE.test(path) ? 404 : 200]);
      expect([path, sources]).toEqual([path, `'self' 'nonce-${nonce}'`]);
      expect(Buffer.from(nonce, "base64")).toHaveLength(16);
      expect(tags.length).toBeGreaterThan(2);
      expect([path, tags.filter((tag) => !tag.includes(` nonce="${nonce}"`))]).toEqual([path, []]);
      nonces.push(nonce);
      hydrated.add(path);
    }
  }
  expect(new Set(nonces).size).toBe(nonces.length);
  expect([...hydrated].filter((path) => !HYDRATED.test(path))).toEqual([]);
  expect(hydrated.size).toBeGreaterThan(30);
});

test("error pages, and those that answer at another's address, have no script", async () => {
  const [{ cookie }, { cookie: others }] = [await createPerson(server.pool), await createPerson(server.pool)];
  const [, mark = ""] =
    /name="account" value="([^"]+)"/.exec(await (await get(server, "/account", others)).text()) ?? [];
  for (const [status, answer] of [
    [404, await get(server, "/account/nowhere", cookie)],
    [404, await get(server, "/admin", cookie)],
    [409, await postForm(server, "/account", { [ACCOUNT_FIELD]: mark, name: "Ada" }, cookie)],
    [413, await postForm(server, "/account", { name: "a".repeat(100_000) }, cookie)],
    [400, await postForm(server, "/account", { "a[0]": "b" }, cookie)],
  ] as const) {
    const { sources, tags } = await scriptsOf(answer);
    expect([answer.status, sources, tags]).toEqual([status, "'none'", []]);
  }
});

test("what people have written cannot end the script that a page's data is in", async () => {
  const person = await createPerson(server.pool);
  const name = "</script><script>alert(1)</script><!--\u2028";
  await server.pool.query(`UPDATE "user" SET name = $2 WHERE id = $1`, [person.id, name]);
  for (const path of ["/account", "/dashboard"]) {
    const { html, nonce } = await scriptsOf(await get(server, path, person.cookie));
    expect(nonce).toBeDefined();
    expect(html).toContain("alert(1)");
    expect(html).not.toContain("<script>alert");
    expect(html).not.toContain("<!--\u2028");
  }
});
