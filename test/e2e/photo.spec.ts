import { makePhoto } from "../photos.ts";
import { expect, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";

const fileOf = (buffer: Buffer, name = "me.jpg", mimeType = "image/jpeg") => ({ name, mimeType, buffer });

for (const javaScriptEnabled of [true, false]) {
  test.describe(javaScriptEnabled ? "with JavaScript" : "without JavaScript", () => {
    test.use({ javaScriptEnabled, viewport: { width: 360, height: 740 } });

    test("a photo is refused, uploaded, replaced and removed", async ({ page, openSignedIn }) => {
      await openSignedIn("/account");
      const field = page.getByLabel("Upload a photo");
      const upload = page.getByRole("button", { name: "Upload", exact: true });
      await upload.click();
      await expect(page.getByRole("alert")).toHaveText(/^Your photo wasn’t saved\s*Choose a photo first$/);
      await expect(field).toHaveAccessibleDescription(/Choose a photo first/);
      // Without a script the answer is the form on a page of its own.
      await expect(page).toHaveURL(javaScriptEnabled ? "/account" : "/account/photo");

      await field.setInputFiles(fileOf(Buffer.from("<svg/>"), "me.svg", "image/svg+xml"));
      await upload.click();
      await expect(field).toHaveAccessibleDescription(/Choose a JPEG, PNG, or WebP/);
      await field.setInputFiles(fileOf(Buffer.alloc(11 * 1024 * 1024)));
      await upload.click();
      await expect(field).toHaveAccessibleDescription(/Choose a photo of at most 10 MB/);

      const photo = page.getByRole("main").locator(".photo img");
      await field.setInputFiles(fileOf(await makePhoto()));
      await upload.click();
      await expect(page).toHaveURL("/account?changed=photo");
      await expect(page.getByRole("status")).toHaveText("Your photo is saved.");
      await expect(photo).toHaveJSProperty("naturalWidth", 256);
      await expect(field).toHaveValue("");
      await expect(page.getByLabel("Photo link")).toHaveAccessibleDescription(
        "Your uploaded photo is shown instead.",
      );
      await expect(page.getByRole("alert")).toHaveCount(0);

      const first = await photo.getAttribute("src");
      await field.setInputFiles(fileOf(await makePhoto({ color: "#0f0", as: "webp" })));
      await upload.click();
      await expect(photo).not.toHaveAttribute("src", first ?? "");
      await page.goto("/dashboard");
      await expect(page.getByRole("banner").locator(".photo img")).toHaveJSProperty("naturalWidth", 256);

      await page.goto("/account");
      await page.getByRole("button", { name: "Remove the photo" }).click();
      await expect(page.getByRole("status")).toHaveText("Your photo is removed.");
      await expect(page.locator(".photo img")).toHaveCount(0);
      await expect(page.getByRole("button", { name: "Remove the photo" })).toHaveCount(0);
    });
  });
}

test.describe("accessible", () => {
  test("the account page is sound with a photo, and with one that is refused", async ({
    page,
    openSignedIn,
  }) => {
    await openSignedIn("/account");
    await page.getByLabel("Upload a photo").setInputFiles(fileOf(await makePhoto()));
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    await expect(page.getByRole("status")).toHaveText("Your photo is saved.");
    await expectSound(page);
    await page.getByLabel("Upload a photo").setInputFiles(fileOf(Buffer.from("no photo")));
    await page.getByRole("button", { name: "Upload", exact: true }).click();
    await expect(page.getByRole("alert")).toBeVisible();
    await expectSound(page);
  });
});

test("while it is sent the button says so, and the network being away is said", async ({
  page,
  context,
  openSignedIn,
}) => {
  await openSignedIn("/account");
  let goOn = () => {};
  const wait = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  await page.route("**/account/photo.data", async (route) => {
    await wait;
    await route.continue();
  });
  await page.getByLabel("Upload a photo").setInputFiles(fileOf(await makePhoto()));
  await page.getByRole("button", { name: "Upload", exact: true }).click();
  await expect(page.getByRole("button", { name: "Uploading…" })).toHaveAttribute("aria-disabled", "true");
  goOn();
  await expect(page.getByRole("status")).toHaveText("Your photo is saved.");
  await page.unroute("**/account/photo.data");
  await context.setOffline(true);
  await page.getByRole("button", { name: "Remove the photo" }).click();
  await expect(page.getByRole("alert")).toContainText("We couldn’t reach the site");
});
