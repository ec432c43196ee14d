import { expect, test } from "vitest";
import { textOf } from "../../test/head.ts";
import { sharedServer } from "../../test/server.fixture.ts";
import { PUBLIC_PAGES } from "./pages.ts";

const PATHS = [...PUBLIC_PAGES.map(({ path }) => path), "/contact/sent", "/waitlist?ref=abcdefgh23"];

const server = sharedServer();

test.each(PATHS)("%s writes its apostrophes as print does", async (path) => {
  const text = textOf(await (await fetch(server.origin + path)).text());
  // The one name that the specification spells with the typewriter's.
  const ours = text.replaceAll("Why We're Different", "");
  expect(ours).toContain("©");
  expect(ours.match(/.{0,20}\p{L}['"]\p{L}.{0,20}/gu)).toBeNull();
});
