import { randomUUID } from "node:crypto";
import { expect, test } from "./fixtures.ts";

for (const javaScriptEnabled of [true, false])
  test.describe(javaScriptEnabled ? "with script" : "without script", () => {
    test.use({ javaScriptEnabled });

    for (const [typed, kept] of [
      ["*@пример.рф", "*@xn--e1afmkfd.xn--p1ai"],
      ["\u202a*\u200b@bü\u00adcher.example\u202c", "*@xn--bcher-kva.example"],
      ["wow!*/eu@example.com", "wow!*/eu@example.com"],
    ] as const)
      test(`the browser lets ${typed} through`, async ({ page, server, open }) => {
        const id = randomUUID().slice(0, 13);
        await open("/register");
        const main = page.getByRole("main");
        await main.getByLabel("Name").fill("Ada");
        await main.getByLabel("Email address").fill(typed.replace("*", id));
        await main.getByLabel("Password", { exact: true }).fill("a long enough one, for them");
        await main.getByRole("button", { name: "Sign Up" }).click();
        await expect(page).toHaveURL(/dashboard|subscription|verify/);
        const { rowCount } = await server.pool.query(`SELECT FROM "user" WHERE email = $1`, [
          kept.replace("*", id),
        ]);
        expect(rowCount).toBe(1);
      });
  });
