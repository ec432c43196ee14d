import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { afterEach, expect, test } from "vitest";
import { COMPILE_CACHE } from "../compile-cache.ts";
import { createDatabase, databaseSettings } from "../database.ts";
import { AUTH_SECRET } from "../server.ts";

/** As systemd does it: the number of the process is known only to the process itself. */
const START = `LISTEN_PID=$$ exec "${process.execPath}" server.ts`;
/** Holds the socket, starts the site, and starts it once more when it has ended. */
const KEEPER = `sh -c '${START}' & echo "pid $!"; wait $!; echo ended; sh -c '${START}' & echo "pid $!"; wait $!`;

let keeper: ChildProcess | undefined;
/** With the site, if a failure has left it running. */
afterEach(() => {
  if (keeper?.pid && keeper.exitCode === null) process.kill(-keeper.pid, "SIGKILL");
});

test("while the process is replaced, requests wait in the socket that systemd holds", async () => {
  const database = await createDatabase();
  const held = createServer().listen(0, "127.0.0.1");
  await once(held, "listening");
  const { port } = held.address() as AddressInfo;
  const { fd } = (held as unknown as { _handle: { fd: number } })._handle;
  const child = spawn("sh", ["-c", KEEPER], {
    stdio: ["ignore", "pipe", "inherit", fd],
    detached: true,
    env: {
      ...COMPILE_CACHE,
      ...{ PATH: process.env.PATH, AUTH_SECRET, DRAIN_SECONDS: "0", LOG_LEVEL: "error", LISTEN_FDS: "1" },
      // Of an address that is not its own: the socket alone counts.
      ...{ PORT: "1", PUBLIC_ORIGIN: `http://127.0.0.1:${port}`, SANDBOX_STRIPE_PORT: "0" },
      ...databaseSettings(database.url),
    },
  });
  keeper = child;
  // This process would take the connections as well.
  held.close();

  let printed = "";
  child.stdout?.on("data", (chunk: Buffer) => {
    printed += chunk;
  });
  const pids = () => [...printed.matchAll(/^pid (\d+)$/gm)].map(([, pid]) => Number(pid));

  // Sent while it starts: it waits, and is not told to come again.
  expect(await ask(port, "/healthz")).toBe(200);
  const [first] = pids();
  process.kill(first ?? 0, "SIGTERM");
  const answers = [];
  while (pids().length < 2 || answers.length < 50) answers.push(await ask(port, "/"));
  expect([...new Set(answers)]).toEqual([200]);
  expect(printed).toContain("ended");
  const [, second] = pids();
  process.kill(second ?? 0, "SIGTERM");
  await once(child, "exit");
  await database.drop();
});

/** @returns the status, or Node's code of what went wrong */
function ask(port: number, path: string): Promise<number | string> {
  return new Promise((resolve) => {
    request({ host: "127.0.0.1", port, path, agent: false }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode ?? 0));
    })
      .once("error", ({ code }: NodeJS.ErrnoException) => resolve(code ?? ""))
      .end();
  });
}
