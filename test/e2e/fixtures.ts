import { randomUUID } from "node:crypto";
import { test as base, expect, type Page } from "@playwright/test";
import { startServer, type TestServer } from "../server.ts";

/** Every worker has the whole product to itself; every test brings its own users. */
export const test = base.extend<object, { server: TestServer }>({
  server: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the fixtures a fixture needs from this pattern
    async ({}, use) => {
      const server = await startServer();
      await use(server);
      await server.stop();
    },
    { scope: "worker" },
  ],
  baseURL: async ({ server }, use) => use(server.origin),
});

export { expect };

export const PASSWORD = "correct horse battery";

/** Signs up a new person by the form and returns their address. */
export async function register(page: Page, name = "Ada Lovelace"): Promise<string> {
  const email = `${randomUUID()}@example.com`;
  await page.getByLabel("Name").fill(name);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("main").getByRole("button", { name: "Sign Up" }).click();
  return email;
}
