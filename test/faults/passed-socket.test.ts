import { request } from "node:http";
import { afterEach, expect, test } from "vitest";
import { createDatabase } from "../database.ts";
import { type HeldSocket, holdSocket } from "../held-socket.ts";

let site: HeldSocket | undefined;
let database: Awaited<ReturnType<typeof createDatabase>>;
afterEach(async () => {
  await site?.end();
  await database.drop();
});

test("while the process is replaced, requests wait in the socket that systemd holds", async () => {
  database = await createDatabase();
  const held = await holdSocket({ DATABASE_URL: database.url, DRAIN_SECONDS: "0" });
  site = held;

  // Sent while it starts: it waits, and is not told to come again.
  expect(await ask(held.port, "/healthz")).toBe(200);
  await held.readyTimes(1);
  const first = held.pid();
  let isReplaced = false;
  const replaced = held.restart().then(() => {
    isReplaced = true;
  });
  const answers = [];
  while (!isReplaced) answers.push(await ask(held.port, "/"));
  await replaced;
  expect(held.pid()).not.toBe(first);
  expect([...new Set(answers)]).toEqual([200]);
});

/** @returns the status, or Node's code of what went wrong */
function ask(port: string, path: string): Promise<number | string> {
  return new Promise((resolve) => {
    request({ host: "127.0.0.1", port, path, agent: false }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    })
      .once("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? ""))
      .end();
  });
}
