import { fillConsole } from "../console.ts";
import { expect, signIn, test } from "../e2e/fixtures.ts";
import { startServer } from "../server.ts";
import { camera } from "./camera.ts";

// One after the other: what is shown is put together once.
test("the operator’s console, every page of it", async ({ browser }) => {
  test.setTimeout(400_000);
  // Of its own: it leaves jobs that are never done, which other pictures would wait for.
  await using server = await startServer();
  const { operator, pages } = await fillConsole(server);
  for (const colorScheme of ["light", "dark"] as const) {
    for (const width of [390, 1280]) {
      const context = await browser.newContext({
        baseURL: server.origin,
        colorScheme,
        viewport: { width, height: 800 },
        reducedMotion: "reduce",
      });
      await signIn(context, server, operator);
      const page = await context.newPage();
      const shoot = camera(page, `${colorScheme}-${width}/console`, width);
      for (const [route, path] of pages) {
        await page.goto(path);
        await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
        await shoot(route.replace("/admin/", "").replaceAll("/", "-").replaceAll(":", ""));
      }
      await context.close();
    }
  }
});
