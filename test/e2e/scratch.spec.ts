import { createOperator } from "../operator.ts";
import { signIn, test } from "./fixtures.ts";

test("scratch", async ({ page, context, server }) => {
  page.on("console", (message) => console.log(message.type(), message.text()));
  page.on("pageerror", (error) => console.log("PAGEERROR", error.message));
  page.on("request", (request) => console.log(request.method(), request.url().slice(-60)));
  await signIn(context, server, await createOperator(server.pool));
  for (const path of (process.env.PATHS ?? "/admin").split(",")) {
    await page.goto(path, { waitUntil: "networkidle" });
    console.log(
      path,
      await page.title(),
      await page.evaluate(() =>
        Object.keys(document.querySelector("main") ?? {}).some((key) => key.startsWith("__reactFiber")),
      ),
    );
  }
});
