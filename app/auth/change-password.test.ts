import { expect, test } from "vitest";
import { openBrowser } from "../../test/browser.ts";
import { mainOf } from "../../test/http.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { createPerson } from "../../test/users.ts";

const server = sharedServer();
const PATH = "/.well-known/change-password";

test("a password manager finds the page that changes a password, by way of signing in", async () => {
  const { cookie } = await createPerson(server.pool);
  const browser = openBrowser(server, cookie);
  const found = await browser.get(PATH);
  expect([found.status, found.headers.get("location")]).toEqual([303, "/account/password"]);
  expect(await mainOf(await browser.get("/account/password"))).toContain("Change your password");

  const visitor = openBrowser(server);
  const sentOn = await visitor.get((await visitor.get(PATH)).headers.get("location") ?? "");
  expect(sentOn.headers.get("location")).toBe("/login?return_to=%2Faccount%2Fpassword");
  // What a password manager asks to learn whether addresses that are not there are said to be so.
  expect(
    (await visitor.get("/.well-known/resource-that-should-not-exist-whose-status-code-should-not-be-200"))
      .status,
  ).toBe(404);
});
