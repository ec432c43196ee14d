import type { Page, Request } from "@playwright/test";
import { sessionTokenOf } from "../users.ts";
import { expect, test } from "./fixtures.ts";

const FUNCTION = "**/functions/us-central1/createCheckoutSession";
const BUTTON = "Choose CSV + Banking, yearly";

/** Presses the button. @returns the page's own call */
async function pressAndCatch(page: Page): Promise<Request> {
  const [request] = await Promise.all([
    page.waitForRequest(FUNCTION),
    page.getByRole("button", { name: BUTTON }).click(),
  ]);
  return request;
}

const isPaymentPage = /\/sandbox\/stripe\/checkout\//;

test("the page's call carries an access token, fetched at the press, and nothing secret", async ({
  page,
  context,
  openSignedIn,
}) => {
  await openSignedIn("/subscription");
  const fetched = page.waitForResponse("**/api/token").then((response) => response.json());
  const request = await pressAndCatch(page);
  const { token } = await fetched;
  const headers = await request.allHeaders();
  expect(headers.authorization).toBe(`Bearer ${token}`);
  expect(headers).not.toHaveProperty("x-firebase-appcheck");
  expect(headers).not.toHaveProperty("firebase-instance-id-token");
  await expect(page).toHaveURL(isPaymentPage);
  const [cookie] = await context.cookies();
  expect(token).not.toContain(sessionTokenOf(`session=${cookie?.value}`));
});

test("without an access token the cookie does it: a fetch that fails or never ends does not prevent paying", async ({
  page,
  openSignedIn,
}) => {
  await page.route("**/api/token", (route) => route.fulfill({ status: 500 }));
  await openSignedIn("/subscription");
  expect(await (await pressAndCatch(page)).headerValue("authorization")).toBeNull();
  await expect(page).toHaveURL(isPaymentPage);

  await page.unroute("**/api/token");
  await page.route("**/api/token", () => {});
  await page.goto("/subscription");
  expect(await (await pressAndCatch(page)).headerValue("authorization")).toBeNull();
  await expect(page).toHaveURL(isPaymentPage);
});

test("the tokens that the page was given go along, and a function is asked at the press", async ({
  page,
  openSignedIn,
}) => {
  await page.addInitScript(() => {
    window.callableTokens = { messaging: "given-messaging", appCheck: async () => "given-app-check" };
  });
  await openSignedIn("/subscription");
  const headers = await (await pressAndCatch(page)).allHeaders();
  expect(headers["firebase-instance-id-token"]).toBe("given-messaging");
  expect(headers["x-firebase-appcheck"]).toBe("given-app-check");
  await expect(page).toHaveURL(isPaymentPage);
});

test("a token that cannot be had, or cannot be sent, is left out", async ({ page, openSignedIn }) => {
  await page.addInitScript(() => {
    window.callableTokens = { messaging: "two\nlines", appCheck: () => Promise.reject(new Error("none")) };
  });
  await openSignedIn("/subscription");
  const headers = await (await pressAndCatch(page)).allHeaders();
  expect(headers).not.toHaveProperty("x-firebase-appcheck");
  expect(headers).not.toHaveProperty("firebase-instance-id-token");
  await expect(page).toHaveURL(isPaymentPage);
});

test("a call that is refused for its tokens falls back to the form", async ({ page, openSignedIn }) => {
  await openSignedIn("/subscription");
  await page.route(FUNCTION, (route) =>
    route.fulfill({ status: 401, json: { error: { status: "UNAUTHENTICATED", message: "No App Check." } } }),
  );
  await page.getByRole("button", { name: BUTTON }).click();
  await expect(page).toHaveURL(isPaymentPage);
});

test("a session that ended while the page was open leads to login, and back with the choice", async ({
  page,
  server,
  openSignedIn,
}) => {
  const { id } = await openSignedIn("/subscription");
  await server.pool.query("DELETE FROM session WHERE user_id = $1", [id]);
  await page.getByRole("button", { name: BUTTON }).click();
  await expect(page).toHaveURL(/\/login\?return_to=%2Fsubscription%3Fplan%3Dprod_csv_banking/);
});
