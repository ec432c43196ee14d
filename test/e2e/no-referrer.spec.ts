import { createPerson, PASSWORD } from "../users.ts";
import { expect, test } from "./fixtures.ts";

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? "with script" : "without script", () => {
    test.use({ javaScriptEnabled });

    test("a form works in a browser that hides where it comes from", async ({ page, server, open }) => {
      const { email } = await createPerson(server.pool);
      await page.route("**/login", async (route) => {
        if (route.request().method() !== "GET") return route.fallback();
        const response = await route.fetch();
        await route.fulfill({
          response,
          headers: { ...response.headers(), "referrer-policy": "no-referrer" },
        });
      });
      await open("/login");
      await page.getByRole("textbox", { name: "Email" }).fill(email);
      await page.getByRole("textbox", { name: "Password", exact: true }).fill(PASSWORD);
      const sent = page.waitForRequest((request) => request.method() === "POST");
      await page.getByRole("main").getByRole("button", { name: "Login" }).click();
      if (!javaScriptEnabled) expect(await (await sent).headerValue("origin")).toBe("null");
      await expect(page).toHaveURL("/dashboard");
    });
  });
