import { once } from "node:events";
import { utimesSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { freePort } from "../app/db/embedded.server.ts";
import { openDatabase } from "./database.ts";
import { eventually } from "./http.ts";
import { startProcess, untilReady } from "./server.ts";

test("while developing a public page is told when what renders it changes, and an exception shows where it is", async () => {
  const database = await openDatabase();
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const settings = { DATABASE_URL: database.url, PORT: String(port), HOST: "127.0.0.1", LOG_LEVEL: "silent" };
  const child = startProcess(settings, "--dev");
  await untilReady(child);

  const page = await (await fetch(`${origin}/faq`)).text();
  expect(page).toContain('createHotContext("/reload").on("site:server-code-changed"');
  const client = await (await fetch(`${origin}/@vite/client`)).text();
  const token = /wsToken = "([^"]+)"/.exec(client)?.[1];
  const socket = new WebSocket(`ws://127.0.0.1:${port}/?token=${token}`, "vite-hmr");
  const told: { event?: string; data?: number }[] = [];
  socket.addEventListener("message", ({ data }) => told.push(JSON.parse(String(data))));
  await once(socket, "open");
  const before = Date.now();
  await eventually(async () => {
    utimesSync(join(import.meta.dirname, "../app/marketing/faq.tsx"), new Date(), new Date());
    return told.some(({ event, data }) => event === "site:server-code-changed" && Number(data) >= before);
  }, "the page is told");
  socket.close();

  await database.pool.query("ALTER TABLE waitlist RENAME TO away");
  const broken = await fetch(`${origin}/waitlist/place?token=${"t".repeat(43)}`);
  expect(broken.status).toBe(500);
  expect(await broken.text()).toMatch(/<pre[^>]*>.*waitlist.* at .*place[\w-]*\.server\.ts:\d+/s);
  child.kill("SIGTERM");
  await once(child, "exit");
  await database.close();
});
