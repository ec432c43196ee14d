import { expect, test } from "./fixtures.ts";
import { expectSound } from "./looks.ts";
import { fields, GIVEN, LOW, labelsOn, openIsland, openPaste, section, statementOf } from "./try-it.ts";

const FIRST = {
  ...GIVEN,
  "KROGER #4412": "Sunday shop",
  "COSTCO WHSE #0482": "Sunday shop",
  "PAYPAL *KROGER-CO": "Sunday shop",
};

test.describe("without JavaScript", () => {
  test.use({ javaScriptEnabled: false });

  test("it is a form whose answer has an address one can share", async ({ page, browser, baseURL }) => {
    await page.goto("/why-different");
    expect(await labelsOn(page)).toEqual(FIRST);
    await expect(section(page)).toContainText("goes to our server as part of the link");
    await expect(section(page)).not.toContainText("leaves your browser");
    await expect(section(page).getByLabel("Lines from your bank")).toHaveCount(0);
    await expect(section(page).getByRole("button")).toHaveText(["Stick the labels on"]);

    await fields(page, 1).name.fill("Too much coffee");
    await fields(page, 1).keywords.fill("cafe\ncoffee, bar");
    await section(page).getByRole("button", { name: "Stick the labels on" }).click();
    await expect(page).toHaveURL(/\/why-different\?category=Too\+much\+coffee&keywords=.*#try-it$/);
    const expected = { ...GIVEN, "CAFÉ ODÉON": "Too much coffee", "SQ *CORNER COFFEE": "Too much coffee" };
    expect(await labelsOn(page)).toEqual(expected);
    await expect(section(page).getByRole("status")).toHaveText("5 of 12 labeled, 7 need a name.");

    const somebodyElse = await browser.newPage({ javaScriptEnabled: false, baseURL });
    await somebodyElse.goto(page.url());
    expect(await labelsOn(somebodyElse)).toEqual(expected);
    await expect(fields(somebodyElse, 1).name).toHaveValue("Too much coffee");
    await expect(fields(somebodyElse, 1).keywords).toHaveValue("cafe\ncoffee, bar");
    await somebodyElse.context().close();
  });

  test("on the home page its answer is the home page", async ({ page }) => {
    await page.goto("/");
    await fields(page, 1).name.fill("Too much coffee");
    await fields(page, 1).keywords.fill("coffee");
    await section(page).getByRole("button", { name: "Stick the labels on" }).click();
    await expect(page).toHaveURL(/\/\?category=Too\+much\+coffee&keywords=coffee#try-it$/);
    expect(await labelsOn(page)).toEqual({ ...GIVEN, "SQ *CORNER COFFEE": "Too much coffee" });
    await expect(fields(page, 1).name).toHaveValue("Too much coffee");
  });

  test("what is too long is cut, and it says so", async ({ page }) => {
    await page.goto("/why-different");
    await fields(page, 1).name.fill("x".repeat(41));
    await fields(page, 1).keywords.fill(`kroger,${"y".repeat(500)}`);
    await section(page).getByRole("button", { name: "Stick the labels on" }).click();
    await expect(fields(page, 1).name).toHaveValue("x".repeat(40));
    await expect(section(page).getByRole("status")).toContainText("at most 40 characters");
    await expect(section(page).getByRole("status")).toContainText("at most 400 characters");
    expect((await labelsOn(page))["KROGER #4412"]).toBe("x".repeat(40));
  });
});

test.describe("on a phone, where it is below the first screen", () => {
  test.use({ viewport: { width: 360, height: 800 } });

  test("its address and those after it lead there", async ({ page }) => {
    for (const id of ["try-it", "faq", "waitlist"]) {
      await page.goto(`/#${id}`);
      const isAtTheTop = async () => {
        const { y } = (await page.locator(`#${id}`).boundingBox()) ?? { y: Number.NaN };
        return Math.abs(y) < 40;
      };
      await expect.poll(isAtTheTop, id).toBe(true);
      await page.goto("about:blank");
    }
    await page.goto("/");
    await expect(section(page).getByRole("button", { name: "Stick the labels on" })).toBeVisible();
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const entries: (PerformanceEntry & { value?: number })[] = [];
          new PerformanceObserver((list) => entries.push(...list.getEntries())).observe({
            type: "layout-shift",
            buffered: true,
          });
          setTimeout(() => resolve(entries.reduce((sum, { value = 0 }) => sum + value, 0)), 300);
        }),
    );
    expect(shift).toBe(0);
  });
});

test("categories are added and taken away, and the first of equal keywords wins", async ({ page }) => {
  await openIsland(page);
  const add = section(page).getByRole("button", { name: "Add another category" });
  expect(await add.evaluate((button) => button.previousElementSibling?.tagName)).toBe("FIELDSET");
  await add.click();
  await expect(fields(page, 2).name).toBeFocused();
  await expect(fields(page, 2).name).toHaveValue("");
  await expect(fields(page, 2).name).toHaveAccessibleDescription("Whatever you call it at home.");
  await fields(page, 2).name.fill("Income");
  await fields(page, 2).keywords.fill("hartley design, kroger");
  await add.click();
  await fields(page, 3).name.fill("Coffee");
  await fields(page, 3).keywords.fill("coffee");
  expect(await labelsOn(page)).toEqual({
    ...FIRST,
    "HARTLEY DESIGN PAYROLL": "Income",
    "SQ *CORNER COFFEE": "Coffee",
  });

  await section(page).getByRole("button", { name: "Remove category 2" }).click();
  await expect(fields(page, 1).name).toBeFocused();
  await expect(fields(page, 2).name).toHaveValue("Coffee");
  await expect(fields(page, 3).name).toHaveCount(0);
  expect(await labelsOn(page)).toEqual({ ...FIRST, "SQ *CORNER COFFEE": "Coffee" });
});

test("lines of one's own take the place of the sample, and go again", async ({ page }) => {
  await openIsland(page);
  const paste = await openPaste(page);
  await paste.fill(
    'Date,Description,Amount\n31/01/2026,"Kroger, Dayton",-12.50\n01/02/2026,SALARY,"1,000.00"\n02/02/2026,RENT,?\n',
  );
  expect(await labelsOn(page)).toEqual({ "Kroger, Dayton": "Sunday shop" });
  await expect(statementOf(page).locator(".amount")).toHaveText(["−12.50", "+1,000.00", ""]);
  await expect(section(page).getByRole("status")).toHaveText(
    /^1 of 3 labeled, 2 need a name\.\s*Line 4 has no amount\.$/,
  );
  await expect(section(page).getByText("Already added")).toBeHidden();

  await paste.fill("?");
  await expect(section(page).getByRole("status")).toContainText("No bank lines were found");
  await expect(statementOf(page).locator(".amount")).toHaveCount(0);

  await section(page).getByText("Sample", { exact: true }).click();
  expect(await labelsOn(page)).toEqual(FIRST);
  await expect(paste).toBeHidden();
  await expect(section(page).getByText("Already added")).toBeVisible();
});

test("a file is read in the browser, chosen or dropped in, and each label gets its total", async ({
  page,
}) => {
  await openIsland(page);
  const totals = section(page).getByRole("list", { name: "Totals" }).getByRole("listitem");
  await expect(totals).toHaveText(["Sunday shop−$206.10", "Sofa evenings−$30.48", "Parcels−$12.49"]);
  const paste = await openPaste(page);
  const csv = {
    name: "may.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("Kroger M\xfcnchen,-12.50\n", "latin1"),
  };
  await section(page).getByLabel("Or choose a CSV file").setInputFiles(csv);
  expect(await labelsOn(page)).toEqual({ "Kroger München": "Sunday shop" });
  await expect(totals).toHaveText(["Sunday shop−12.50"]);

  const dropped = await page.evaluateHandle(() => {
    const files = new DataTransfer();
    files.items.add(new File(["Costco,-7.25\nKroger,-2.75\n"], "june.csv"));
    return files;
  });
  await paste.dispatchEvent("drop", { dataTransfer: dropped });
  expect(await labelsOn(page)).toEqual({ Costco: "Sunday shop", Kroger: "Sunday shop" });
  await expect(totals).toHaveText(["Sunday shop−10.00"]);
});

test("a link that attacks is text too", async ({ page }) => {
  const attack = `"><script>alert(1)</script>`;
  await page.goto(`/why-different?${new URLSearchParams({ category: attack, keywords: "cash" })}#try-it`);
  await expect(section(page).getByRole("button", { name: "Add another category" })).toBeVisible();
  expect((await labelsOn(page))["BARTON ST ATM CASH"]).toBe(attack);
  await expect(fields(page, 1).name).toHaveValue(attack);
});

test("all of it works with the keyboard alone", async ({ page }) => {
  await page.setViewportSize(LOW);
  await page.goto("/why-different");
  const ask = section(page).getByRole("button", { name: "Stick the labels on" });
  // Brings the section into view, whose island then takes the button away that has the focus.
  await ask.focus();
  await expect(section(page).getByRole("button", { name: "Add another category" })).toBeFocused();
  await fields(page, 1).name.focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type("mta");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.keyboard.type("Coffee");
  await page.keyboard.press("Tab");
  await page.keyboard.type("coffee");
  expect(await labelsOn(page)).toEqual({
    ...GIVEN,
    "MTA*NYCT PAYGO": "Sunday shop",
    "SQ *CORNER COFFEE": "Coffee",
  });
  await page.keyboard.press("Tab");
  await page.keyboard.press("Space");
  await expect(fields(page, 1).name).toBeFocused();
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Tab");
  await page.keyboard.type("MTA 7,-1.00");
  expect(await labelsOn(page)).toEqual({ "MTA 7": "Sunday shop" });
  await page.keyboard.press("Shift+Tab");
  await page.keyboard.press("ArrowLeft");
  await expect(statementOf(page).locator(".amount")).toHaveCount(12);
});

test.describe("accessible", () => {
  test("no accessibility fault, and nothing wider than the page", async ({ page }) => {
    const check = () => expectSound(page);
    await openIsland(page);
    await check();
    await section(page).getByRole("button", { name: "Add another category" }).click();
    await fields(page, 2).name.fill("W".repeat(41));
    await fields(page, 2).keywords.fill("shop");
    await (await openPaste(page)).fill(`${"W".repeat(60)} SHOP,-1234567890.00`);
    await expect(section(page).getByRole("status")).toContainText("at most 40 characters");
    await check();
  });
});
