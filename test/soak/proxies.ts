import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../app/db/embedded.server.ts";
import { createDatabase } from "../database.ts";
import { type Answer, openProxy, type ProxiedSite } from "../deployed-proxy.ts";
import { holdSocket } from "../held-socket.ts";
import { unlike } from "./report.ts";

/** A browser's headers. */
const BROWSER = { headers: { "accept-encoding": "gzip, deflate, br, zstd" } };
const SESSION = { headers: { ...BROWSER.headers, cookie: "theme=dark; __Host-session=0123456789abcdef" } };
/** The secret in a mail's link; must not be in any log. */
const SECRET = "token-that-nobody-may-read";
/** More than an event of Stripe may have. */
const TOO_MUCH = 1_000_000;
const BUSY = 503;

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
    const found = [...(await passesOn(name)), ...(await staysIn(name)), ...(await behind(name, requests))];
    differences.push(...found.map((line) => `${name}: ${line}`));
  }
  return differences;
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
  return String((server.address() as AddressInfo).port);
}

async function passesOn(name: ProxiedSite["name"]): Promise<string[]> {
  await using proxy = await openProxy(name, [await echo()]);
  const sent = { ...BROWSER.headers, "x-forwarded-for": "6.6.6.6", "x-request-id": "made-up", cookie: "a=1" };
  const { body } = await proxy.ask("/login?x=1", { headers: sent });
  const headers: IncomingHttpHeaders = JSON.parse(body);
  const large = await proxy.ask("/contact", { method: "POST", body: "x".repeat(TOO_MUCH) });
  const bare = await proxy.ask("/");
  // A claimed address may be there, but not last: the site trusts the last one.
  const client = headers["x-forwarded-for"];
  console.log(`${name} passes on X-Forwarded-For: ${client}, Accept-Encoding: ${headers["accept-encoding"]}`);
  return unlike({
    "the client's address": [String(client).split(", ").at(-1), "127.0.0.1"],
    "the scheme": [headers["x-forwarded-proto"], "https"],
    "the name": [headers.host, name === "nginx" ? "localhost" : `localhost:${proxy.port}`],
    "an id from outside": [headers["x-request-id"], undefined],
    cookies: [headers.cookie, "a=1"],
    "a body that is too large": [large.status, 413],
    "no encoding asked for": [JSON.parse(bare.body)["accept-encoding"], undefined],
  });
}

/** A process that answers 503 is alive, and must keep getting requests. */
async function staysIn(name: ProxiedSite["name"]): Promise<string[]> {
  await using proxy = await openProxy(name, [await echo(), await echo()]);
  const statuses = [];
  for (const path of ["/busy", "/busy", "/busy", "/", "/login", "/"])
    statuses.push((await proxy.ask(path, SESSION)).status);
  console.log(`${name}: after three answers with 503 of its own: ${statuses.slice(3).join()}`);
  return unlike({ "after answers with 503": [statuses.join(), "503,503,503,200,200,200"] });
}

/** Checks a proxy in front of the product. */
async function behind(name: ProxiedSite["name"], requests: number): Promise<string[]> {
  const database = await createDatabase();
  const port = String(await freePort());
  const settings = {
    DATABASE_URL: database.url,
    PUBLIC_ORIGIN: `https://localhost:${port}`,
    DRAIN_SECONDS: "3",
  };
  // In sequence: the first applies the migrations.
  const first = await holdSocket(settings);
  await first.readyTimes(1);
  const second = await holdSocket(settings);
  await second.readyTimes(1);
  try {
    await using proxy = await openProxy(name, [first.port, second.port], port);
    const kept = await keeps(proxy);
    const failures = await whileReplaced(proxy, requests, async () => {
      await first.restart();
      await second.restart();
    });
    await Promise.all([first.end(), second.end()]);
    const gone = await whenGone(proxy);
    const log = proxy.readLog();
    const secrets = unlike({
      "whether its log has the token of a link": [log.includes(SECRET), false],
      "whether its log has a session": [log.includes("0123456789abcdef"), false],
    });
    return [...kept, ...failures, ...gone, ...secrets];
  } finally {
    await database.drop();
  }
}

const cacheOf = ({ headers }: Answer) => headers["x-cache"] ?? "not kept";

async function keeps({ name, ask }: ProxiedSite): Promise<string[]> {
  const visitor = await ask("/", BROWSER);
  const again = await ask("/", BROWSER);
  const gzip = await ask("/", { headers: { "accept-encoding": "gzip" } });
  const plain = await ask("/");
  const session = await ask("/", SESSION);
  const asset = /\/assets\/[\w.-]+\.js/.exec((await ask("/login")).body)?.[0] ?? "";
  const assets = [await ask(asset, BROWSER), await ask(asset, BROWSER)];
  const link = await ask(`/reset-password?token=${SECRET}`, SESSION);
  const internal = await Promise.all(["/metrics", "/healthz", "/readyz"].map((path) => ask(path)));
  const caches = { "/": [visitor, again], [asset]: assets, "/ with a session": [session] };
  for (const [path, answers] of Object.entries(caches))
    console.log(`${name}: ${path}: ${answers.map(cacheOf).join(", ")}`);
  return unlike({
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
  { name, port, ask }: ProxiedSite,
  requests: number,
  replace: () => Promise<void>,
): Promise<string[]> {
  const headers = {
    origin: `https://localhost:${port}`,
    "content-type": "application/x-www-form-urlencoded",
  };
  const failures: string[] = [];
  let sent = 0;
  let isOver = false;
  const clients = Array.from({ length: 10 }, async (_, index) => {
    const isForm = index % 2 === 0;
    while (!isOver || sent < requests) {
      sent++;
      const answer = isForm
        ? await ask("/login", { method: "POST", headers, body: "email=&password=" })
        : await ask(index % 3 === 0 ? "/" : "/login", BROWSER);
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
async function whenGone({ name, ask }: ProxiedSite): Promise<string[]> {
  await ask(`/reset-password?token=${SECRET}`, SESSION);
  const [page, login, session, form] = [
    await ask("/", BROWSER),
    await ask("/login", BROWSER),
    await ask("/", SESSION),
    await ask("/contact", { method: "POST", body: "x=1" }),
  ];
  const statuses = [page, login, session, form].map(({ status }) => status).join();
  console.log(`${name}: without any process: /, /login, / with a session, a form: ${statuses}`);
  const isKept = name === "nginx";
  return unlike({
    "without any process": [statuses, isKept ? "200,502,200,502" : "503,503,503,503"],
    "what is shown in an emergency": [
      session.headers["cache-control"]?.startsWith("public"),
      isKept ? true : undefined,
    ],
  });
}
