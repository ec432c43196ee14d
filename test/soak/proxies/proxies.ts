import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../app/db/embedded.server.ts";
import { createDatabase } from "../../database.ts";
import { holdSocket } from "../../held-socket.ts";
import { endProcess } from "../../server.ts";
import { type Answer, ask } from "./ask.ts";
import { type ProxyOptions, type RunningProxy, startCaddy, startNginx } from "./start-proxy.ts";

/** A browser's headers. */
const BROWSER = { "accept-encoding": "gzip, deflate, br, zstd" };
const SESSION = { ...BROWSER, cookie: "theme=dark; __Host-session=0123456789abcdef" };
/** The secret in a mail's link; must not be in any log. */
const SECRET = "token-that-nobody-may-read";
/** More than an event of Stripe may have. */
const TOO_MUCH = 1_000_000;
const BUSY = 503;
const STARTERS = { nginx: startNginx, Caddy: startCaddy };

type Name = keyof typeof STARTERS;

/**
 * Puts nginx and Caddy, with the configurations of deploy/, in front of two real processes. Checks what they cache and pass on, and
 * requests while processes are replaced or gone. Needs nginx, caddy and openssl.
 *
 * @param requests sent while the processes are replaced, at least
 * @returns a line for each difference
 */
export async function proxies(requests: number): Promise<string[]> {
  const differences = [];
  for (const name of ["nginx", "Caddy"] as const) {
    const headers = await withProxy(name, [await echo()], (port) => passesOn(name, port));
    const busy = await withProxy(name, [await echo(), await echo()], (port) => staysIn(name, port));
    const site = await behind(name, requests);
    differences.push(...[...headers, ...busy, ...site].map((line) => `${name}: ${line}`));
  }
  return differences;
}

async function withProxy(
  name: Name,
  upstreams: readonly string[],
  work: (port: string, proxy: RunningProxy) => Promise<string[]>,
  port?: string,
): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "proxy-"));
  const options: ProxyOptions = {
    folder,
    upstreams,
    port: port ?? String(await freePort()),
    plainPort: String(await freePort()),
  };
  const [key, certificate] = ["privkey.pem", "fullchain.pem"].map((file) => join(folder, file));
  const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"];
  execFileSync("openssl", [...request, "-keyout", key ?? "", "-out", certificate ?? ""], { stdio: "ignore" });
  const proxy = STARTERS[name](options);
  try {
    while ((await ask(options.port, "/")).status === 0) await sleep(100);
    return await work(options.port, proxy);
  } finally {
    await endProcess(proxy.child);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A server that answers with the headers it received; /busy with 503, like a busy site. @returns its port */
async function echo(): Promise<string> {
  const server = createServer((request, response) => {
    // After the whole body has arrived, like a form.
    request.resume().once("end", () => {
      response.statusCode = request.url === "/busy" ? BUSY : 200;
      response.end(JSON.stringify(request.headers));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref();
  const address = server.address();
  return String(typeof address === "object" ? address?.port : "");
}

async function passesOn(name: Name, port: string): Promise<string[]> {
  const sent = { ...BROWSER, "x-forwarded-for": "6.6.6.6", "x-request-id": "made-up", cookie: "a=1" };
  const { body } = await ask(port, "/login?x=1", { headers: sent });
  const headers: IncomingHttpHeaders = JSON.parse(body);
  const large = await ask(port, "/contact", { method: "POST", body: "x".repeat(TOO_MUCH) });
  const bare = await ask(port, "/");
  // A claimed address may be there, but not last: the site trusts the last one.
  const client = headers["x-forwarded-for"];
  console.log(`${name} passes on X-Forwarded-For: ${client}, Accept-Encoding: ${headers["accept-encoding"]}`);
  return expectAll({
    "the client's address": [String(client).split(", ").at(-1), "127.0.0.1"],
    "the scheme": [headers["x-forwarded-proto"], "https"],
    "the name": [headers.host, `localhost:${port}`.replace(name === "nginx" ? /:\d+$/ : /$^/, "")],
    "an id from outside": [headers["x-request-id"], undefined],
    cookies: [headers.cookie, "a=1"],
    "a body that is too large": [large.status, 413],
    "no encoding asked for": [JSON.parse(bare.body)["accept-encoding"], undefined],
  });
}

/** A process that answers 503 is alive, and must keep getting requests. */
async function staysIn(name: Name, port: string): Promise<string[]> {
  const statuses = [];
  for (const path of ["/busy", "/busy", "/busy", "/", "/login", "/"])
    statuses.push((await ask(port, path, { headers: SESSION })).status);
  console.log(`${name}: after three answers with 503 of its own: ${statuses.slice(3).join()}`);
  return expectAll({ "after answers with 503": [statuses.join(), "503,503,503,200,200,200"] });
}

/** Checks a proxy in front of the product. */
async function behind(name: Name, requests: number): Promise<string[]> {
  const database = await createDatabase();
  const port = String(await freePort());
  const start = () =>
    holdSocket({
      DATABASE_URL: database.url,
      PUBLIC_ORIGIN: `https://localhost:${port}`,
      DRAIN_SECONDS: "3",
    });
  // In sequence: the first applies the migrations.
  const sockets = [await start()];
  await sockets[0]?.readyTimes(1);
  sockets.push(await start());
  await sockets[1]?.readyTimes(1);
  const work = async (_port: string, proxy: RunningProxy) => [
    ...(await keeps(name, port)),
    ...(await whileReplaced(name, port, requests, async () => {
      for (const socket of sockets) await socket.restart();
    })),
    ...(await whenGone(name, port, () => Promise.all(sockets.map((socket) => socket.end())))),
    ...(proxy.readLog().includes(SECRET) ? ["its log has the token of a link"] : []),
    ...(proxy.readLog().includes("0123456789abcdef") ? ["its log has a session"] : []),
  ];
  const ports = sockets.map((socket) => socket.port);
  return withProxy(name, ports, work, port).finally(database.drop);
}

async function keeps(name: Name, port: string): Promise<string[]> {
  const visitor = await ask(port, "/", { headers: BROWSER });
  const again = await ask(port, "/", { headers: BROWSER });
  const gzip = await ask(port, "/", { headers: { "accept-encoding": "gzip" } });
  const plain = await ask(port, "/");
  const session = await ask(port, "/", { headers: SESSION });
  const asset = /\/assets\/[\w.-]+\.js/.exec((await ask(port, "/login")).body)?.[0] ?? "";
  const assets = [await ask(port, asset, { headers: BROWSER }), await ask(port, asset, { headers: BROWSER })];
  const link = await ask(port, `/reset-password?token=${SECRET}`, { headers: SESSION });
  const internal = await Promise.all(["/metrics", "/healthz", "/readyz"].map((path) => ask(port, path)));
  const cacheOf = ({ headers }: Answer) => headers["x-cache"];
  console.log(
    `${name}: /: ${cacheOf(visitor) ?? "not kept"}, ${cacheOf(again) ?? "not kept"}; ${asset}: ${assets.map((one) => cacheOf(one) ?? "not kept")}; with a session: ${cacheOf(session) ?? "not kept"}`,
  );
  return expectAll({
    "the page": [visitor.status, 200],
    brotli: [visitor.headers["content-encoding"], "br"],
    gzip: [gzip.headers["content-encoding"], "gzip"],
    plain: [[plain.headers["content-encoding"], plain.body.includes("Sign Up")].join(), ",true"],
    "a page with a session": [session.headers["cache-control"], "private, no-cache"],
    "a script": [assets.map(({ status }) => status).join(), "200,200"],
    "how long a script is kept": [assets[1]?.headers["cache-control"], "public, max-age=31536000, immutable"],
    "a page for one person": [[link.status, link.headers["cache-control"]].join(), "410,no-store"],
    "internal paths": [internal.map(({ status }) => status).join(), "404,404,404"],
    ...(name === "nginx" && {
      "a page, asked for twice": [[visitor, again].map(cacheOf).join(), "BYPASS,BYPASS"],
      "a script, asked for twice": [assets.map(cacheOf).join(), "MISS,HIT"],
    }),
  });
}

/** Forms and pages, at a steady pace, over connections of their own. */
async function whileReplaced(
  name: Name,
  port: string,
  requests: number,
  replace: () => Promise<void>,
): Promise<string[]> {
  let isOver = false;
  const failures: string[] = [];
  let sent = 0;
  const origin = `https://localhost:${port}`;
  const clients = Array.from({ length: 10 }, async (_, index) => {
    const isForm = index % 2 === 0;
    while (!isOver || sent < requests) {
      sent++;
      const form = { origin, "content-type": "application/x-www-form-urlencoded" };
      const answer = isForm
        ? await ask(port, "/login", { method: "POST", headers: form, body: "email=&password=" })
        : await ask(port, index % 3 === 0 ? "/" : "/login", { headers: BROWSER });
      if (answer.status !== (isForm ? 400 : 200))
        failures.push(`${isForm ? "a form" : "a page"}: ${answer.status} ${answer.body.slice(0, 100)}`);
      await sleep(50);
    }
  });
  await replace();
  isOver = true;
  await Promise.all(clients);
  console.log(`${name}: ${sent} requests while both processes were replaced, ${failures.length} failed`);
  return failures;
}

/** Without any process: only public pages are served from the cache. */
async function whenGone(name: Name, port: string, end: () => Promise<unknown>): Promise<string[]> {
  await end();
  await ask(port, `/reset-password?token=${SECRET}`, { headers: SESSION });
  const [page, login, session, form] = [
    await ask(port, "/", { headers: BROWSER }),
    await ask(port, "/login", { headers: BROWSER }),
    await ask(port, "/", { headers: SESSION }),
    await ask(port, "/contact", { method: "POST", body: "x=1" }),
  ];
  const statuses = [page, login, session, form].map(({ status }) => status).join();
  console.log(`${name}: without any process: /, /login, / with a session, a form: ${statuses}`);
  const isKept = name === "nginx";
  return expectAll({
    "without any process": [statuses, isKept ? "200,502,200,502" : "503,503,503,503"],
    "what is shown in an emergency": [
      session.headers["cache-control"]?.startsWith("public"),
      isKept ? true : undefined,
    ],
  });
}

function expectAll(found: Record<string, [unknown, unknown]>): string[] {
  return Object.entries(found).flatMap(([what, [has, wanted]]) =>
    has === wanted ? [] : [`${what}: ${has}, not ${wanted}`],
  );
}
