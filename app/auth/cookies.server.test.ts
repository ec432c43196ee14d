import { expect, test } from "vitest";
import { createSessionCookieTest } from "./cookies.server.ts";

const overHttp = createSessionCookieTest({ publicOrigin: "http://localhost:3000" });
const overHttps = createSessionCookieTest({ publicOrigin: "https://ownwords.example" });

test.each([
  ["session=x"],
  ["session=ended long ago"],
  ["a=1; session=x"],
  ["a=1;session=x;b=2"],
  ["a; session=x"],
  ["session = x"],
  ["\tsession=x"],
  ["session=; session=x"],
  ["session===;"],
])("a header with the cookie: %s", (header) => {
  expect(overHttp(header)).toBe(true);
});

test.each([
  [null],
  [""],
  ["session"],
  ["session="],
  ["session=;"],
  ["session= ; a=x"],
  ["a=session"],
  ["a=1, session=x"],
  ["mysession=x"],
  ["my-session=x"],
  ["sessions=x"],
  ["session2=x"],
  ["Session=x"],
  ["a=session=x"],
  ["__Host-session=x"],
  ["[]session=x"],
  ["a=(session=x)"],
])("a header without it: %s", (header) => {
  expect(overHttp(header)).toBe(false);
});

test("over https the cookie has another name", () => {
  expect(overHttps("__Host-session=x")).toBe(true);
  expect(overHttps("session=x")).toBe(false);
  expect(overHttps("x__Host-session=x")).toBe(false);
});
