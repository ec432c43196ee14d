import { createHash, randomBytes } from "node:crypto";
import { identityEndpoints, type Provider } from "@ownwords/sandbox/testing";
import type { Page } from "@playwright/test";
import { readConfig } from "../../app/config/config.server.ts";
import { expectNoScript } from "./documents.ts";
import { expect, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";

const PROVIDERS = ["google", "facebook"] as const;
const CONFIG = readConfig({});

/** Where the product would send a browser. */
function authorizationUrl(provider: Provider, origin: string, changes: Record<string, string> = {}): string {
  const google = {
    scope: "openid email profile",
    code_challenge: createHash("sha256").update(randomBytes(32)).digest("base64url"),
    code_challenge_method: "S256",
  };
  const query = new URLSearchParams({
    client_id: clientIdOf(provider),
    redirect_uri: `${origin}/auth/callback/${provider}`,
    response_type: "code",
    state: "s1",
    ...(provider === "google" ? google : { scope: "email,public_profile" }),
    ...changes,
  });
  return `${identityEndpoints(origin, origin)[provider].authorizationEndpoint}?${query}`;
}

function clientIdOf(provider: Provider): string {
  const client = CONFIG.providers[provider];
  return client.mode === "off" ? "" : client.clientId;
}

/** Presses a button and says what the callback hears, whatever it makes of it. */
async function answerTo(page: Page, button: string): Promise<Record<string, string>> {
  const called = page.waitForRequest(/\/auth\/callback\//);
  await page.getByRole("button", { name: button }).click();
  return Object.fromEntries(new URL((await called).url()).searchParams);
}

for (const provider of PROVIDERS) {
  test(`${provider}: everybody on the page can be chosen, and nobody`, async ({ page, server }) => {
    const open = () => page.goto(authorizationUrl(provider, server.origin));
    for (const button of ["Ada Lovelace", provider === "google" ? "Unverified" : "No Email"]) {
      await open();
      expect(await answerTo(page, button)).toEqual({ code: expect.any(String), state: "s1" });
    }
    await open();
    await expectNoScript(page);
    expect(await answerTo(page, "Cancel")).toMatchObject({ error: "access_denied", state: "s1" });
  });
}

test("another address is typed, mended, and sent with Enter", async ({ page, server }) => {
  await page.goto(authorizationUrl("google", server.origin));
  const field = page.getByLabel("Another email address");
  // A browser takes this for an address, and the sandbox does not.
  await field.fill(`${"m".repeat(65)}@example.com`);
  await field.press("Enter");
  await expectNoScript(page);
  await expect(field).toHaveAccessibleDescription("Enter an email address, such as ada@example.com");
  await expect(field).toBeFocused();
  await field.fill("mary@example.com");
  await page.getByLabel("The email address is verified").uncheck();
  const called = page.waitForRequest(/\/auth\/callback\//);
  await field.press("Enter");
  expect(new URL((await called).url()).searchParams.get("code")).toBeTruthy();
  const { rows } = await server.pool.query(
    "SELECT value->'account' AS account FROM sandbox_identity.kept WHERE kind = 'code' ORDER BY expires_at DESC",
  );
  expect(rows[0].account).toMatchObject({ email: "mary@example.com", email_verified: false });
});

test.describe("accessible", () => {
  test("every page is sound", async ({ page, server }) => {
    for (const provider of PROVIDERS) {
      await page.goto(authorizationUrl(provider, server.origin));
      await expectSound(page);
    }
    await page.getByLabel("Another email address").fill("mary@example");
    await page.getByRole("button", { name: "Continue" }).click();
    await expectSound(page);
    await page.goto(authorizationUrl("google", server.origin, { client_id: "nobody" }));
    await expect(page.getByText("Error 401: invalid_client")).toBeVisible();
    await expectSound(page);
  });
});

test.describe("in the window that opens for it", () => {
  test.use({ viewport: { width: 500, height: 600 } });

  test("all choices are in view, each big enough to press", async ({ page, server }) => {
    for (const provider of PROVIDERS) {
      await page.goto(authorizationUrl(provider, server.origin));
      const height = await page.evaluate(() => document.documentElement.scrollHeight);
      expect(height).toBeLessThanOrEqual(600);
      for (const target of await page.locator("button, label.box, input[type=email]").all())
        expect((await target.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    }
  });
});
