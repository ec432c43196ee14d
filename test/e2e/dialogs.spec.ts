import { openPayer } from "../plan-states.ts";
import { createPerson, isSignedIn, signInAgain } from "../users.ts";
import { expect, signIn, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";

/** Where React runs, a question before something irreversible is a dialog; `plan.spec.ts` and others ask on its page, too. */

test("cancelling asks in a dialog, keeps what was typed when the site is away, and closes when it is done", async ({
  page,
  server,
  context,
  open,
}) => {
  await signIn(context, server, await openPayer(server));
  await open("/dashboard");
  const cancel = page.getByRole("link", { name: "Cancel plan" });
  const dialog = page.getByRole("dialog", { name: "Cancel CSV + Banking" });

  await cancel.click();
  await expect(dialog).toBeVisible();
  await expect(page).toHaveURL("/dashboard");
  await expectSound(page);
  await page.keyboard.press("Escape");
  await expect(dialog).toHaveCount(0);
  await expect(cancel).toBeFocused();

  await cancel.click();
  await dialog.getByRole("button", { name: "Keep my plan" }).click();
  await expect(dialog).toHaveCount(0);

  await cancel.click();
  await dialog.getByLabel("Anything else?").fill("Too dear");
  await page.route("**/subscription/cancel.data*", (route) => route.abort());
  await dialog.getByRole("button", { name: "Cancel plan" }).click();
  await expect(dialog.getByRole("alert")).toHaveText(
    "We couldn’t reach the site. Check your connection and try again.",
  );
  await expect(dialog.getByLabel("Anything else?")).toHaveValue("Too dear");
  await page.unroute("**/subscription/cancel.data*");
  await dialog.getByRole("button", { name: "Cancel plan" }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByText("Ending", { exact: true })).toBeVisible();
});

test("a refund whose amount has changed meanwhile says so in the dialog, with the new amount", async ({
  page,
  server,
  context,
  open,
}) => {
  await signIn(context, server, await openPayer(server));
  await open("/dashboard");
  await page.getByRole("link", { name: "Get a refund" }).click();
  const dialog = page.getByRole("dialog", { name: "Refund CSV + Banking" });
  await expect(dialog).toBeVisible();
  // The form of a page that is older than the last payment.
  await dialog.locator("[name=total]").evaluate((input: HTMLInputElement) => {
    input.value = "1";
  });
  await dialog.getByRole("button", { name: "Refund $49.99 and end plan" }).click();
  await expect(dialog.getByRole("alert")).toContainText(
    "The refund amount has changed. Please confirm again.",
  );
  await expect(page).toHaveURL("/dashboard");
});

test("deleting the account asks in a dialog, and a wrong address is said there", async ({
  page,
  openSignedIn,
}) => {
  const { email } = await openSignedIn("/account");
  await page.getByRole("link", { name: "Delete account" }).click();
  const dialog = page.getByRole("dialog", { name: "Delete your account" });
  await dialog.getByLabel("Your email address").fill("other@example.com");
  await dialog.getByRole("button", { name: "Delete my account" }).click();
  await expect(dialog.getByRole("link", { name: "That’s not your email address" })).toBeVisible();
  await expectSound(page);
  await dialog.getByLabel("Your email address").fill(email);
  await dialog.getByRole("button", { name: "Delete my account" }).click();
  await expect(page).toHaveURL("/account/deleted");
});

test("a device goes at the press, and comes back with the reason when it could not be signed out", async ({
  page,
  server,
  context,
  open,
}) => {
  const person = await createPerson(server.pool);
  await signIn(context, server, person);
  const other = await signInAgain(server, person.email);
  await open("/account/sessions");
  const signOut = page.getByRole("button", { name: /^Sign out (?!all)/ });
  await expect(signOut).toHaveCount(1);

  let fail = () => {};
  const failed = new Promise<void>((resolve) => {
    fail = resolve;
  });
  await page.route("**/account/sessions.data*", (route) => failed.then(() => route.abort()));
  await signOut.click();
  await expect(signOut).toHaveCount(0);
  fail();
  await expect(signOut).toHaveCount(1);
  await expect(page.getByRole("alert")).toHaveText(
    "We couldn’t reach the site. Check your connection and try again.",
  );
  expect(await isSignedIn(server, other)).toBe(true);

  await page.unroute("**/account/sessions.data*");
  await signOut.click();
  await expect(page.getByText("Signed out.")).toBeVisible();
  expect(await isSignedIn(server, other)).toBe(false);
});

test("signing out everywhere else asks first", async ({ page, server, context, open }) => {
  const person = await createPerson(server.pool);
  await signIn(context, server, person);
  const other = await signInAgain(server, person.email);
  await open("/account/sessions");
  await page.getByRole("button", { name: "Sign out all other devices" }).click();
  const dialog = page.getByRole("dialog", { name: "Sign out all other devices?" });
  await dialog.getByRole("button", { name: "Leave them signed in" }).click();
  await expect(dialog).toHaveCount(0);
  expect(await isSignedIn(server, other)).toBe(true);
  await page.getByRole("button", { name: "Sign out all other devices" }).click();
  await dialog.getByRole("button", { name: "Sign them out" }).click();
  await expect(page.getByText("Signed out.")).toBeVisible();
  await expect(dialog).toHaveCount(0);
  expect(await isSignedIn(server, other)).toBe(false);
});
