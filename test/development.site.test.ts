import { once } from "node:events";
import { expect, test } from "vitest";
import { freePort } from "../app/db/embedded.server.ts";
import { openDatabase } from "./database.ts";
import { startProcess, untilReady } from "./server.ts";

test("while developing an exception shows where it is", async () => {
  const database = await openDatabase();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const settings = { DATABASE_URL: database.url, PORT: String(port), HOST: "127.0.0.1", LOG_LEVEL: "silent" };
  const child = startProcess(settings, { isDev: true });
  await untilReady(child);

  await database.pool.query("ALTER TABLE waitlist RENAME TO away");
  const broken = await fetch(`${origin}/waitlist/place?token=${"t".repeat(43)}`);
  expect(broken.status).toBe(500);
  expect(await broken.text()).toMatch(/<pre[^>]*>.*waitlist.* at .*place[\w-]*\.server\.ts:\d+/s);
  child.kill("SIGTERM");
  await once(child, "exit");
  await database.close();
});
