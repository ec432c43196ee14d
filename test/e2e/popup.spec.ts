import { breakStatements, cutDatabase } from "../away.ts";
import { turnKnobs } from "../browser.ts";
import { expect, test } from "./fixtures.ts";
import { expectFailure, openPopup, press } from "./provider-sign-in.ts";

// Each worker has a server, and so a sandbox, of its own: the knobs affect no other test.
test.afterEach(({ server }) => turnKnobs(server, { reset: true }));

test("popup-closed-by-user: said, and pressing again works", async ({ page, open }) => {
  await open("/login");
  const popup = await openPopup(page, "Google");
  await popup.close();
  await expectFailure(
    page,
    "popup-closed-by-user",
    /^Failed to sign in with GoogleThe Google window was closed before you finished\./,
  );
  await expect(page.getByRole("alert")).toHaveCount(1);
  const again = await openPopup(page, "Google");
  await expect(page.getByRole("alert")).toHaveCount(0);
  await again.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("the popup closed, and this tab used instead", async ({ page, open }) => {
  await open("/login");
  await (await openPopup(page, "Google")).close();
  await expect(page.getByRole("alert")).toBeVisible();
  await press(page, "Use this tab instead");
  await page.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("popup-blocked: said, and it goes on in this tab", async ({ page, open }) => {
  await page.addInitScript(() => {
    window.open = () => null;
    // A page that is being left cannot be inspected, so it is held until it was.
    const { submit } = HTMLFormElement.prototype;
    HTMLFormElement.prototype.submit = function hold() {
      addEventListener("looked-at", () => submit.call(this));
    };
  });
  await open("/login?return_to=/test-promo");
  await press(page, "Continue with Google");
  await expectFailure(
    page,
    "popup-blocked",
    "Your browser blocked the Google window, so we’re continuing in this tab. If nothing happens, press the button again.",
  );
  await page.evaluate(() => dispatchEvent(new Event("looked-at")));
  await page.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/test-promo");
});

test("cancelled-popup-request: a second popup closes the first", async ({ page, open }) => {
  await open("/login");
  const first = await openPopup(page, "Google");
  const closed = first.waitForEvent("close");
  const second = await openPopup(page, "Facebook");
  await closed;
  await expectFailure(
    page,
    "cancelled-popup-request",
    "Failed to sign in with GoogleThe Google window was closed because you opened another one. Continue there.",
  );
  await second.getByRole("button", { name: "Grace Hopper" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("a provider that cuts the popup off from its opener: it is heard all the same", async ({
  page,
  server,
  open,
}) => {
  await turnKnobs(server, { coop: true });
  await open("/login");
  const popup = await openPopup(page, "Google");
  // From here it looks closed, which is said; and it is not, so it goes on.
  await expectFailure(page, "popup-closed-by-user", /If it’s still open, continue there\./);
  await popup.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("cut off and unheard: the page asks the server", async ({ page, server, open }) => {
  await turnKnobs(server, { coop: true });
  await page.addInitScript(() => {
    window.BroadcastChannel = class extends EventTarget {
      postMessage() {}
      close() {}
    } as unknown as typeof BroadcastChannel;
  });
  await open("/login");
  const popup = await openPopup(page, "Google");
  await popup.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/dashboard");
});

const BROKEN = /^Failed to sign in with GoogleSomething broke on our side\. Try again in a moment\./;

test("internal-error: with the database away the window closes and the page says so", async ({
  page,
  server,
  open,
}) => {
  const restore = await cutDatabase(server);
  await open("/login");
  const [popup] = await Promise.all([page.waitForEvent("popup"), press(page, "Continue with Google")]);
  await expectFailure(page, "internal-error", BROKEN);
  await expect.poll(() => popup.isClosed()).toBe(true);
  await press(page, "Use this tab instead");
  await expect(page).toHaveURL(/^[^?]*\/login\?provider=google&error=internal-error/);
  await expectFailure(page, "internal-error", BROKEN);

  await restore();
  await page.waitForFunction(() => "hydrated" in document.documentElement.dataset);
  const again = await openPopup(page, "Google");
  await again.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/dashboard");
});

test("internal-error: a way back that cannot be looked up is told where it began, too", async ({
  page,
  server,
  open,
}) => {
  await open("/login");
  const popup = await openPopup(page, "Google");
  const mend = await breakStatements(server, "UPDATE ON provider_flows");
  await popup.getByRole("button", { name: "Ada Lovelace" }).click();
  await expectFailure(page, "internal-error", BROKEN);
  await mend();
});

test("a window that never gets through: said after a quarter of a minute, and this tab gets on", async ({
  page,
  context,
  open,
}) => {
  await page.clock.install();
  await context.route("**/auth/popup/google?*", (route) => route.abort("connectionrefused"));
  await open("/login");
  await press(page, "Continue with Google");
  await expect(page.getByText("Continue in the Google window.")).toBeVisible();
  await page.clock.fastForward(15_000);
  await expectFailure(page, "internal-error", BROKEN);
  await press(page, "Use this tab instead");
  await page.getByRole("button", { name: "Ada Lovelace" }).click();
  await expect(page).toHaveURL("/dashboard");
});
