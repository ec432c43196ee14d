import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { appEntrances, sandboxEntrances } from "../entrances.ts";
import { asClient } from "../http.ts";
import { startServer, type TestServer } from "../server.ts";
import { createSignedInUsers } from "../users.ts";
import { getting, type Input, posting } from "../worst-inputs.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The longest a request may keep the others waiting, in milliseconds. */
const MOST_MILLISECONDS = 100;
/** A busy machine holds things up too, but hardly three times at the same request. */
const TRIES = 3;
/** Every place that takes input, and what it can be sent. */
interface Entrance {
  method: string;
  path: string;
  inputs: Input[];
}

let server: TestServer;
let cookies: string[];
/** In milliseconds, by method and path. */
const worst = new Map<string, number>();

beforeAll(async () => {
  server = await startServer({ LOG_LEVEL: "silent" });
  // More than one, so that limits by user are reached late.
  cookies = (await createSignedInUsers(server.pool, 40)).map(({ cookie }) => cookie);
  // Of the shape of a real one, so that it is worked on like a real one.
  await server.pool.query("UPDATE account SET password = $1", [`${"0".repeat(32)}:${"0".repeat(128)}`]);
});

afterAll(async () => {
  if (process.env.WRITE_MEASUREMENTS) writeMeasurements();
  await server.stop();
});

/** The names of the fields on a page, its own and those of most others. */
async function fieldsOf(path: string): Promise<string[]> {
  const page = await fetch(server.origin + path, { headers: { cookie: cookies[0] ?? "", ...asClient() } });
  const names = [...(await page.text()).matchAll(/<(?:input|textarea|select|button)[^>]* name="(\w+)"/g)];
  return [...new Set([...names.map(([, name = ""]) => name), "email", "password", "id_token", "code"])];
}

async function entrances(): Promise<Entrance[]> {
  const names = new Map<string, string[]>();
  for (const { path } of appEntrances()) names.set(path, names.get(path) ?? (await fieldsOf(path)));
  return [...appEntrances(), ...sandboxEntrances()].map(({ method, path, headers = {} }) => ({
    method,
    path,
    inputs: (method === "GET" ? getting(path) : posting(method, path, names.get(path) ?? SANDBOX_NAMES)).map(
      (input) => ({ ...input, headers: { ...input.headers, ...headers } }),
    ),
  }));
}

/** Of the fields the sandboxes read. */
const SANDBOX_NAMES = ["email", "name", "metadata", "customer", "request", "choice", "code", "redirect_uri"];

/** How long /healthz was kept waiting at most while this was answered, in milliseconds. */
async function delayOf(work: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let longest = 0;
  const watching = (async () => {
    do {
      const asked = performance.now();
      await (await fetch(`${server.origin}/healthz`)).text();
      longest = Math.max(longest, performance.now() - asked);
      if (!isOver) await sleep(2);
    } while (!isOver);
  })();
  await work().finally(() => {
    isOver = true;
  });
  await watching;
  return longest;
}

let sent = 0;

async function send({ method, path, headers, body }: Input): Promise<number> {
  const cookie = cookies[sent++ % cookies.length] ?? "";
  const response = await fetch(server.origin + path, {
    method,
    body: method === "GET" ? undefined : body,
    redirect: "manual",
    headers: { origin: server.origin, cookie, ...asClient(), ...headers },
  });
  await response.arrayBuffer();
  return response.status;
}

test("whatever a route takes, within its limits or beyond them, nobody else waits longer than a moment", async () => {
  const faults: string[] = [];
  for (const { method, path, inputs } of await entrances()) {
    for (const input of inputs) {
      const what = `${method} ${path}`;
      const said = `${what} ${JSON.stringify(input.headers ?? {}).slice(0, 80)} ${(input.body ?? input.path).slice(0, 80)}`;
      let delay = 0;
      for (let attempt = 0; attempt < TRIES; attempt++) {
        let status = 0;
        const measured = await delayOf(async () => {
          status = await send(input);
        });
        delay = attempt === 0 ? measured : Math.min(delay, measured);
        if (status >= 500) faults.push(`${status} for ${said}`);
        if (delay <= MOST_MILLISECONDS) break;
      }
      worst.set(what, Math.max(worst.get(what) ?? 0, delay));
      if (delay > MOST_MILLISECONDS) faults.push(`${Math.round(delay)} ms for ${said}`);
    }
  }
  expect(faults).toEqual([]);
  expect(server.child.exitCode).toBeNull();
}, 120_000);

/** Puts what was measured into docs/measurements.md, between the two marks. */
function writeMeasurements(): void {
  const file = join(ROOT, "docs/measurements.md");
  const names = [...worst.keys()].map((what) => `\`${what}\``);
  const width = Math.max(...names.map((name) => name.length));
  const rows = [...worst.values()].map(
    (delay, at) => `| ${names[at]?.padEnd(width)} | ${String(Math.round(delay)).padStart(3)} |`,
  );
  const table = [`| ${"entrance".padEnd(width)} |  ms |`, `| ${"-".repeat(width)} | --: |`, ...rows].join(
    "\n",
  );
  const before = readFileSync(file, "utf8");
  writeFileSync(file, before.replace(/(<!-- event loop -->\n)[\s\S]*?(\n<!-- -->)/, `$1\n${table}\n$2`));
}
