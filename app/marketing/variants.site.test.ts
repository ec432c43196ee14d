import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { postForm } from "../../test/http.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { get } from "../../test/users.ts";
import { PUBLIC_PAGES } from "./pages.ts";

const server = sharedServer();

/** Of a session that never was: only the name counts. */
const COOKIE = `session=${randomUUID()}`;

/** The ways into the account that a page's header offers. */
async function waysIn(response: Response): Promise<string[]> {
  const header = /<header.*?<\/header>/s.exec(await response.text())?.[0] ?? "";
  return ["/login", "/register", "/dashboard", "/account"].filter((path) =>
    header.includes(`href="${path}"`),
  );
}

const VISITOR = ["/login", "/register"];
const SIGNED_IN = ["/dashboard", "/account"];

test.each([
  ...PUBLIC_PAGES.map(({ path }) => path),
  "/?category=Coffee&keywords=cafe",
  "/pricing?billing=annual",
  "/why-different?category=Coffee&keywords=cafe",
  "/contact?topic=business",
  "/contact/sent",
  "/waitlist",
  "/waitlist/sent",
  "/waitlist/confirm",
  "/waitlist/leave",
  "/nowhere",
  "/%",
])("%s has the header for its visitor, and sets no cookie", async (path) => {
  const [visitor, signedIn] = [await get(server, path), await get(server, path, COOKIE)];
  expect(signedIn.headers.get("cache-control")).toMatch(/^(private, no-cache|no-store)$/);
  for (const { headers } of [visitor, signedIn]) expect(headers.getSetCookie()).toEqual([]);
  expect(signedIn.status).toBe(visitor.status);
  expect(await waysIn(visitor)).toEqual(VISITOR);
  expect(await waysIn(signedIn)).toEqual(SIGNED_IN);
});

test("so has the answer to a form that was not filled in", async () => {
  for (const path of ["/contact", "/waitlist"]) {
    const answer = await postForm(server, path, {}, COOKIE);
    expect(answer.status).toBe(400);
    expect(await waysIn(answer)).toEqual(SIGNED_IN);
    expect(await waysIn(await postForm(server, path, {}))).toEqual(VISITOR);
  }
});

test("where people log in, nobody is signed in, whatever the cookie says; and the cookie goes", async () => {
  const answer = await get(server, "/login", COOKIE);
  expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/^session=;.*Max-Age=0/)]);
  expect(await waysIn(answer)).toEqual(VISITOR);
});

test.each([
  ["another cookie's name ends like it", "my-session=x"],
  ["another begins like it", "session-id=x; session2=x"],
  ["another's value contains it", "a=session=x"],
  ["it was emptied", "session=; a=b"],
])("a reader is a visitor when %s", async (_what, cookie) => {
  for (const path of ["/", "/nowhere"])
    expect(await waysIn(await get(server, path, cookie))).toEqual(VISITOR);
});

test("who has a session is never told of a free account or of signing up", async () => {
  for (const path of [...PUBLIC_PAGES.map((page) => page.path), "/pricing?promo=PREMIUM3"]) {
    const page = await (await get(server, path, COOKIE)).text();
    expect(page, path).not.toMatch(/a free account|after signing up|Sign up (and|with)/);
  }
  expect(await (await get(server, "/pricing")).text()).toContain("create a free account first");
  expect(await (await get(server, "/pricing?promo=PREMIUM3")).text()).toContain("Apply it after signing up.");
});
