import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RouteConfigEntry } from "@react-router/dev/routes";
import { afterAll, beforeAll, expect, test } from "vitest";
import routes from "../../app/routes.ts";
import { routes as identityRoutes } from "../../sandbox/identity/routes.ts";
import { endpoints as stripeEndpoints } from "../../sandbox/stripe/endpoints.ts";
import { asClient } from "../http.ts";
import { startServer, type TestServer } from "../server.ts";
import { createSignedInUsers } from "../users.ts";
import { getting, type Input, posting } from "../worst-inputs.ts";

const ROOT = join(import.meta.dirname, "../..");
/** The longest a request may keep the others waiting, in milliseconds. */
const MOST_MILLISECONDS = 100;
/** A busy machine holds things up too, but hardly three times at the same request. */
const TRIES = 3;
/** What stands for a parameter of a path. A route with another one says here what. */
const PARAMETERS = new Map([
  [":provider", "google"],
  [":name", "createCheckoutSession"],
  [":id", "cus_1"],
  ["*", "nowhere"],
]);

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

/** The routes of the app, of all floors; what each takes is what its module exports. */
function appRoutes(entries: readonly RouteConfigEntry[], above = ""): { path: string; methods: string[] }[] {
  return entries.flatMap(({ path = "", file, children = [] }) => {
    const whole = [above, path].filter(Boolean).join("/");
    const source = readFileSync(join(ROOT, "app", file), "utf8");
    const exportsName = (name: string) =>
      new RegExp(`^export (?:async )?(?:function|const) ${name}\\b`, "m").test(source);
    const methods = [
      ...(exportsName("loader") || /^export default/m.test(source) ? ["GET"] : []),
      ...(exportsName("action") ? ["POST"] : []),
    ];
    if (methods.length === 0)
      throw new Error(`what does ${file} take? It exports neither a page, a loader nor an action`);
    return children.length > 0 ? appRoutes(children, whole) : [{ path: filled(`/${whole}`), methods }];
  });
}

function filled(path: string): string {
  return path
    .split("/")
    .map((part) => {
      if (!/^[:*]/.test(part)) return part;
      const value = PARAMETERS.get(part);
      if (!value) throw new Error(`say in PARAMETERS what stands for ${part} of ${path}`);
      return value;
    })
    .join("/");
}

/** The names of the fields on a page, its own and those of most others. */
async function fieldsOf(path: string): Promise<string[]> {
  const page = await fetch(server.origin + path, { headers: { cookie: cookies[0] ?? "", ...asClient() } });
  const names = [...(await page.text()).matchAll(/<(?:input|textarea|select|button)[^>]* name="(\w+)"/g)];
  return [...new Set([...names.map(([, name = ""]) => name), "email", "password", "id_token", "code"])];
}

async function entrances(): Promise<Entrance[]> {
  const found: Entrance[] = [];
  for (const { path, methods } of appRoutes(routes)) {
    const names = await fieldsOf(path);
    for (const method of methods)
      found.push({ method, path, inputs: method === "GET" ? getting(path) : posting(method, path, names) });
  }
  const key = { authorization: "Bearer sk_test_sandbox" };
  for (const [method, path] of stripeEndpoints) {
    const whole = filled(`/sandbox/stripe${path}`);
    const names = ["email", "name", "metadata", "expand", "line_items", "customer", "price"];
    const inputs = method === "GET" ? getting(whole) : posting(method, whole, names, key);
    found.push({
      method,
      path: whole,
      inputs: inputs.map((input) => ({ ...input, headers: { ...input.headers, ...key } })),
    });
  }
  for (const [path, methods] of identityRoutes)
    for (const method of methods) {
      const whole = `/sandbox/identity${path}`;
      const names = ["request", "choice", "email", "client_id", "client_secret", "code", "redirect_uri"];
      found.push({
        method,
        path: whole,
        inputs: method === "GET" ? getting(whole) : posting(method, whole, names),
      });
    }
  for (const path of [
    "/sandbox/mail",
    "/sandbox/mail.json",
    "/sandbox/mail/1",
    "/sandbox/stripe/checkout/cs_1",
  ])
    found.push({ method: "GET", path, inputs: getting(path) });
  for (const path of ["/sandbox/stripe/control", "/sandbox/stripe/checkout/cs_1/pay"])
    found.push({ method: "POST", path, inputs: posting("POST", path, ["webhooks", "api"]) });
  return found;
}

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
  const rows = [...worst].map(([what, delay]) => `| \`${what}\` | ${Math.round(delay)} |`);
  const table = ["| entrance | ms |", "| --- | --: |", ...rows].join("\n");
  const before = readFileSync(file, "utf8");
  writeFileSync(file, before.replace(/(<!-- event loop -->\n)[\s\S]*?(\n<!-- -->)/, `$1\n${table}\n$2`));
}
