import { expect, test } from "vitest";
import { sharedServer } from "../../test/server.fixture.ts";
import { createPerson, get } from "../../test/users.ts";

const server = sharedServer();

test("a page for one person has one title, and asks once not to be indexed", async () => {
  const { cookie } = await createPerson(server.pool);
  for (const [path, title, cookies] of [
    ["/login", "Login"],
    ["/register", "Sign Up"],
    ["/forgot-password", "Forgot your password?"],
    ["/forgot-password/sent", "Check your email"],
    ["/dashboard", "Dashboard", cookie],
    ["/dashboard/categories", "Your categories", cookie],
    ["/subscription", "Choose your plan", cookie],
    ["/test-promo", "Test a promo code", cookie],
    ["/account", "Your account", cookie],
    ["/account/photo", "Your photo", cookie],
  ] as const) {
    const html = await (await get(server, path, cookies)).text();
    const head = html.slice(0, html.indexOf("</head>"));
    const found = [html.match(/<title>.*?<\/title>/g), head.match(/<meta name="robots"[^>]*>/g)];
    expect([path, ...found]).toEqual([
      path,
      [`<title>${title} · Ownwords</title>`],
      ['<meta name="robots" content="noindex"/>'],
    ]);
  }
});
